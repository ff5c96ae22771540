//! Durable state: acknowledged changes survive the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, sandboxes, and small documents), `files/` (larger documents,
//! named by their SHA-256), `commits` (the number of commits) and `uploads/` (uploads that are being
//! received). One store holds the main world and every sandbox, but no journal, faults or limiter.
//! Start reading at `open`; [`crate::world::state::stored`] describes the rows.
//! `row_store` says what any store must do.

mod commit_count;
mod committer;
mod documents;
mod entry;
mod error;
mod folder;
mod folder_store;
#[cfg(test)]
mod memory_store;
mod open;
#[cfg(feature = "postgres")]
mod postgres_store;
#[cfg(feature = "postgres")]
mod postgres_write;
mod read;
mod row_store;
mod rows;
mod sandbox_record;
mod sandbox_row;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use committer::StateStore;
pub use error::DurableError;
pub use folder::holds_state;
#[cfg(feature = "postgres")]
pub(crate) use open::open_database;
pub(crate) use open::{OpenStore, StoredSandbox, open_folder};
#[cfg(feature = "postgres")]
pub(crate) use postgres_store::{PostgresStore, agreed_settings};
pub(crate) use sandbox_record::SandboxRecord;
