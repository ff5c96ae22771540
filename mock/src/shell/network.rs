//! Outbound connections with checked addresses, and the fetcher of documents.

mod connect;
mod fetcher;

pub use connect::{Lookup, Network};
pub(crate) use connect::{Reach, reason};
pub use fetcher::{FETCH_TIME_MAX, Fetcher};
