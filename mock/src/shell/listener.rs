//! The one accept loop: connections, their limits, TLS, and resets.

mod accept;
mod connection;
mod tls;

pub use accept::ServeLimits;
pub(crate) use accept::accept_all;
pub use tls::{Tls, TlsError};
