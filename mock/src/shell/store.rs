//! Durable state: what was acknowledged survives the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, sandboxes, and small documents), `files/` (larger documents,
//! each under its SHA-256), `commits` (the number of commits) and `uploads/` (what is being received).
//! One store holds the main world and every sandbox, but no journal, faults or limiter. Start
//! reading at `open`; [`crate::state::stored`] says what a row holds.

#[cfg(not(feature = "state"))]
mod absent;
#[cfg(feature = "state")]
mod committer;
#[cfg(feature = "state")]
mod documents;
#[cfg(feature = "state")]
mod folder;
#[cfg(feature = "state")]
mod held;
#[cfg(feature = "state")]
mod open;
#[cfg(feature = "state")]
mod rows;
mod sandbox_record;
#[cfg(feature = "state")]
mod sandbox_row;
#[cfg(feature = "state")]
mod witness;

#[cfg(not(feature = "state"))]
pub(crate) use absent::StateStore;
#[cfg(feature = "state")]
pub(crate) use committer::StateStore;
#[cfg(feature = "state")]
pub use folder::{DurableError, holds_state};
#[cfg(feature = "state")]
pub(crate) use open::{OpenStore, StoredSandbox};
pub(crate) use sandbox_record::SandboxRecord;
