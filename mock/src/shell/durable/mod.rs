//! Durable state: what was acknowledged survives the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, sandboxes, and small documents), `files/` (larger documents,
//! each under its SHA-256), `commits` (how many there were) and `uploads/` (what is being received).
//! One store holds the main world and every sandbox, but no journal, faults or limiter. Start
//! reading at [`Durable::open`]; what a row says is [`crate::state::stored`]'s.

mod committer;
mod documents;
mod folder;
mod held;
mod open;
mod rows;
mod sandbox_row;
mod witness;

pub(crate) use committer::Durable;
pub use folder::{DurableError, holds_state};
pub(crate) use open::{Opened, OpenedSandbox};
