//! Durable state: acknowledged changes survive the end of the process at any moment.
//!
//! A folder holds `state.redb` (rows, sandboxes, and small documents), `files/` (larger documents,
//! named by their SHA-256), `commits` (the number of commits) and `uploads/` (uploads that are being
//! received). One store holds the main world and every sandbox, but no journal, faults or limiter.
//! Start reading at `open`; [`crate::world::state::stored`] describes the rows.
//! `row_store` says what any store must do.

#[cfg(feature = "state")]
mod commit_count;
#[cfg(feature = "state")]
mod committer;
#[cfg(feature = "state")]
mod documents;
#[cfg(feature = "state")]
mod entry;
#[cfg(feature = "state")]
mod error;
#[cfg(feature = "state")]
mod folder;
#[cfg(feature = "state")]
mod folder_store;
#[cfg(all(test, feature = "state"))]
mod memory_store;
#[cfg(feature = "state")]
mod open;
#[cfg(feature = "postgres")]
mod postgres_store;
#[cfg(feature = "postgres")]
mod postgres_write;
#[cfg(feature = "state")]
mod read;
#[cfg(feature = "state")]
mod row_store;
#[cfg(feature = "state")]
mod rows;
mod sandbox_record;
#[cfg(feature = "state")]
mod sandbox_row;
#[cfg(all(feature = "state", any(test, feature = "postgres")))]
mod table;
#[cfg(all(test, feature = "state"))]
mod tests;
#[cfg(not(feature = "state"))]
mod unavailable;

#[cfg(feature = "state")]
pub(crate) use committer::StateStore;
#[cfg(feature = "state")]
pub use error::DurableError;
#[cfg(feature = "state")]
pub use folder::holds_state;
#[cfg(feature = "state")]
pub(crate) use open::{OpenStore, StoredSandbox};
#[cfg(feature = "postgres")]
pub(crate) use postgres_store::{PostgresStore, agreed_settings};
pub(crate) use sandbox_record::SandboxRecord;
#[cfg(not(feature = "state"))]
pub(crate) use unavailable::StateStore;
