//! The only IO of the crate: what carries calls to a world and deliveries away from it.
//!
//! [`Site`] is the whole mock without a socket; [`serve`] carries it over HTTP/1.1, `embed` inside a
//! `wiremock::MockServer`. The walk of a call: `server` → `site` → `body` → [`crate::Service`] →
//! `site_body`. No rule of the service is decided here.

mod body;
pub mod clock;
mod connection;
mod control;
mod deliverer;
#[cfg(feature = "state")]
mod durable;
#[cfg(not(feature = "state"))]
#[path = "durable_absent.rs"]
mod durable;
#[cfg(feature = "embed")]
pub mod embed;
mod faulty_body;
mod fetcher;
mod kept_sandbox;
mod lease;
mod mailbox;
mod network;
mod problem;
mod realm;
mod receiver;
#[cfg(feature = "state")]
mod restored;
mod sandboxes;
mod sender;
mod sent;
mod server;
pub mod settings;
mod site;
mod site_body;
mod tls;
mod told;

pub use body::BodyTimes;
#[cfg(feature = "state")]
pub use durable::{DurableError, holds_state};
pub use fetcher::{FETCH_TIME_MAX, Fetcher};
pub use network::{Looked, Network};
pub use receiver::{RECEIVED_BYTES_MAX, Received, ReceiverPlan, receive};
pub use sandboxes::SANDBOXES_MAX;
pub use server::{ServeLimits, serve, serve_tls};
pub use site::{Site, SiteError, SiteOptions};
pub use site_body::SiteBody;
pub use tls::{Tls, TlsError};
