//! The served worlds: the main world and its sandboxes, with their leases.

mod lease;
mod plan;
mod realm;
mod restore;
mod sandboxes;

pub(crate) use lease::Lease;
pub(crate) use plan::{SandboxPlan, lease};
pub(crate) use realm::Realm;
pub(crate) use restore::restore;
pub use sandboxes::SANDBOXES_MAX;
pub(crate) use sandboxes::Sandboxes;
