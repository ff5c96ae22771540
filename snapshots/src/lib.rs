//! Recorded responses: how a response becomes stable text, and how that text is kept in insta's files.
//!
//! [`Placeholders`] replaces what differs from run to run (ids, times, tokens, counts, addresses, and
//! what somebody [`Stored`]) by typed names that keep identity within a scenario. [`check`] compares with
//! the accepted file, [`Rows`] what the rows of a loop were told; [`pending`], [`accept`] and [`reject`]
//! are the decisions of a person, as `cargo insta review` takes them: the files are insta's, read by insta
//! itself. A [`Bundle`] carries recorded responses from one machine to another.
//!
//! Nothing here knows the contract, a scenario or a verdict, and checking never writes.

#![deny(missing_docs)]

mod bundle;
mod changes;
mod file;
mod kind;
mod placeholders;
mod rows;
mod shape;
mod store;
mod stored;
mod text;
mod unknown;

pub use bundle::{BUNDLE_BYTES_MAX, Bundle, BundleError, Recorded};
pub use changes::{ChangedPlace, SnapshotChange};
pub use file::Metadata;
pub use placeholders::{Placeholders, RawResponse};
pub use rows::Rows;
pub use store::{
    Comparison, Mode, Pending, SnapshotEntry, StoreError, accept, check, file_of, list, pending,
    reject,
};
pub use stored::Stored;
