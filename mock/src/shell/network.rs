//! Outbound connections with checked addresses, and the fetcher of documents.

mod connect;
mod fetcher;

pub(crate) use connect::{AllowedAddresses, reason};
pub use connect::{Lookup, Network};
pub use fetcher::{FETCH_TIME_MAX, Fetcher};
