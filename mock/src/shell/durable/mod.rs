//! Durable state: what was acknowledged survives the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, and small documents), `files/` (larger documents, each under
//! its SHA-256), `commits` (how many there were) and `uploads/` (what is being received). Start reading at [`Durable::open`]; what a
//! row says is [`crate::stored`]'s.

mod documents;
mod folder;
mod open;
mod rows;
mod witness;

pub use folder::DurableError;
pub(crate) use open::{Durable, Opened};
