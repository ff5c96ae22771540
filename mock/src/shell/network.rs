//! The way out of the mock: guarded connections, and the fetcher of documents.

mod connect;
mod fetcher;

pub use connect::{Looked, Network};
pub(crate) use connect::{Reach, reason};
pub use fetcher::{FETCH_TIME_MAX, Fetcher};
