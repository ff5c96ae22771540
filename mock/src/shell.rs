//! The only IO of the crate: passes calls to a world, and sends its deliveries.
//!
//! [`Site`] is the whole mock without a socket. [`serve`] serves it over HTTP/1.1, `embed` inside a
//! `wiremock::MockServer`. A call passes through `server`, `body`, [`crate::service::Service`] and `response`.
//! The shell contains no rule of the service.

mod body;
pub mod clock;
mod console;
mod control;
mod delivery;
mod drill_run;
mod listener;
mod network;
#[cfg(feature = "postgres")]
mod node;
#[cfg(feature = "postgres")]
mod postgres;
mod receiver;
mod recorded_console;
mod response;
mod sandbox;
mod server;
pub mod settings;
mod site;
mod store;

pub use body::BodyTimes;
pub use drill_run::{DrillProgress, DrillRun, DrillRunState, DrillStart, DrillState};
pub use listener::{ServeLimits, Tls, TlsError};
pub use network::{FETCH_TIME_MAX, Fetcher, Lookup, Network};
#[cfg(feature = "postgres")]
pub use node::{Node, NodeLog};
#[cfg(feature = "postgres")]
pub use postgres::{LeaseTimes, PostgresAddress, PostgresError};
pub use receiver::{RECEIVED_BYTES_MAX, ReceivedCall, ReceiverResponse, StatusPlan, receive};
pub use recorded_console::{RecordedCalls, serve_recorded};
pub use response::SiteBody;
pub use sandbox::SANDBOXES_MAX;
#[cfg(feature = "embed")]
pub use server::embed;
pub use server::serve;
#[cfg(feature = "postgres")]
pub use server::serve_node;
pub use site::{
    CallWatch, ClientJudge, Precedence, SandboxWatch, Site, SiteError, SiteOptions, WatchedCall,
};
pub use store::{DurableError, holds_state};
