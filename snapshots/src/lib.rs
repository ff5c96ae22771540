//! Recorded responses: turns a response into stable text, and stores the text in insta's files.
//!
//! [`Placeholders`] replaces values that differ from run to run by names: ids, times, tokens, counts,
//! addresses and [`StoredPlaces`] values. The same value has the same name within a scenario. [`check`] compares
//! with the accepted file, and [`Rows`] compares the rows of a loop. A person decides with [`pending`],
//! [`accept`] and [`reject`], or with `cargo insta review`. A [`Bundle`] moves recorded responses to another
//! machine.
//!
//! This crate does not know the contract, scenarios or verdicts. Only [`StoreMode::Record`] writes files.

#![deny(missing_docs)]

mod bundle;
mod changes;
mod file;
mod kind;
mod placeholders;
mod rows;
mod shape;
mod store;
mod stored_places;
mod text;

pub use bundle::{BUNDLE_BYTES_MAX, Bundle, NewSnapshot};
pub use changes::{ChangedPlace, SnapshotChange};
pub use file::Metadata;
pub use placeholders::{Placeholders, RawResponse};
pub use rows::Rows;
pub use store::{
    Comparison, PendingSnapshot, SnapshotEntry, StoreError, StoreMode, accept, check, file_of,
    list, pending, reject,
};
pub use stored_places::StoredPlaces;
