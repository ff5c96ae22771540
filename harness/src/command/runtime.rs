//! The async runtime, and random seeds.

use std::hash::{BuildHasher, Hasher, RandomState};

use tokio::runtime::{Builder, Runtime};

use super::error::CommandError;

/// Makes a runtime with several threads, so that the checks of one scenario do not delay the requests of another.
pub(super) fn runtime() -> Result<Runtime, CommandError> {
    build(&mut Builder::new_multi_thread())
}

/// Makes a runtime with one thread. A client that sends one call at a time then uses one connection. With several
/// threads, the client sometimes opens a second connection.
pub(super) fn runtime_of_one_thread() -> Result<Runtime, CommandError> {
    build(&mut Builder::new_current_thread())
}

fn build(builder: &mut Builder) -> Result<Runtime, CommandError> {
    let built = builder.enable_all().build();
    built.map_err(|error| CommandError::fault(format!("the runtime cannot start: {error}")))
}

/// A random number of 32 bits: every JSON reader represents it exactly.
pub(super) fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}
