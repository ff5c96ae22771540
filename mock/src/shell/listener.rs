//! The one accept loop: connections, their limits, TLS, and resets.

mod accept;
mod connection;
mod places;
mod tls;
mod watched_body;
mod watched_response;

pub use accept::ServeLimits;
pub(crate) use accept::accept_all;
pub use tls::{Tls, TlsError};
pub(crate) use watched_body::WatchedBody;
