//! The async runtime, and random seeds.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::error::CommandError;

/// Makes a runtime with several threads, so that the checks of one scenario do not delay the requests of another.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::fault(format!("the runtime cannot start: {error}")))
}

/// A random number of 32 bits: every JSON reader represents it exactly.
pub(super) fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}
