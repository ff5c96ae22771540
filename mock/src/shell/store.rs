//! Durable state: acknowledged changes survive the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, sandboxes, and small documents), `files/` (larger documents, named by
//! their SHA-256), `commits` (the number of commits) and `uploads/` (incomplete uploads). One store holds the
//! main world and every sandbox, but no journal, faults or limiter. Start reading at `open`.
//! [`crate::world::state::stored`] describes the rows, `row_store` the duties of a store.

mod commit_count;
mod committer;
mod documents;
mod error;
mod folder_store;
mod header;
mod open;
#[cfg(feature = "postgres")]
mod postgres_store;
#[cfg(feature = "postgres")]
mod postgres_write;
mod row_store;
mod rows;
mod sandbox_record;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use committer::StateStore;
pub use error::DurableError;
pub(crate) use folder_store::FolderStore;
pub use folder_store::holds_state;
pub(crate) use open::{OpenStore, open};
#[cfg(feature = "postgres")]
pub(crate) use postgres_store::{PostgresStore, agreed_settings};
pub(crate) use row_store::RowStore;
pub(crate) use sandbox_record::SandboxRecord;

/// The key of the main world.
pub(crate) const MAIN: u64 = 0;
