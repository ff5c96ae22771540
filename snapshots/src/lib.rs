//! Recorded responses: how a response becomes stable text, and how that text is kept in insta's files.
//!
//! [`Placeholders`] replaces what differs from run to run (ids, times, tokens, counts, addresses) by
//! typed names that keep identity within a scenario. [`check`] compares with the accepted file;
//! [`pending`], [`accept`] and [`reject`] are the decisions of a person, as `cargo insta review` takes
//! them: the files are insta's, read by insta itself. A [`Bundle`] carries recorded responses from one
//! machine to another.
//!
//! Nothing here knows the contract, a scenario or a verdict, and checking never writes.

mod bundle;
mod file;
mod kind;
mod placeholders;
mod shape;
mod store;
mod text;

pub use bundle::{BUNDLE_BYTES_MAX, Bundle, BundleError, Recorded};
pub use file::Metadata;
pub use placeholders::Placeholders;
pub use store::{
    Comparison, Entry, Mode, Pending, StoreError, accept, check, file_of, list, pending, reject,
};
