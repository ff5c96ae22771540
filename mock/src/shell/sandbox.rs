//! The served worlds: the main one and its sandboxes, with their leases.

mod lease;
mod realm;
#[cfg(feature = "state")]
mod restore;
mod sandboxes;

pub(crate) use lease::LEASE_SECONDS_MAX;
pub(crate) use realm::Realm;
#[cfg(feature = "state")]
pub(crate) use restore::restore;
pub use sandboxes::SANDBOXES_MAX;
pub(crate) use sandboxes::{Chosen, Plan, SandboxError, Sandboxes};
