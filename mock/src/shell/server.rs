//! Carries a site: over HTTP/1.1, over TLS, and inside a `wiremock::MockServer`.

mod connection;
mod dispatch;
#[cfg(feature = "embed")]
pub mod embed;
mod http;
mod tls;

pub use http::{ServeLimits, serve, serve_tls};
pub use tls::{Tls, TlsError};
