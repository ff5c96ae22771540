//! The Legal Request Service as a state machine, and the shell that serves it.
//!
//! The core is everything but `shell`. It has no socket, file, clock or random source: time, client
//! address and bodies are arguments, and everything random derives from a seed. So the same calls on
//! equal worlds give equal bytes. Read [`call`] for what goes in,
//! [`response`] for what comes out, [`world`] for the walk of a call.

#![deny(missing_docs)]

mod operation;
mod value;

pub mod control;
pub mod defect;
pub mod service;
#[cfg(feature = "server")]
pub mod shell;
pub mod world;

pub use service::Service;
#[cfg(feature = "embed")]
pub use shell::embed;
pub use value::address::{AddressFault, is_public};
pub use value::clock;
pub use value::delivery_policy::{DeliveryPolicy, PolicyUpdate};
pub use value::message::{call, content, response, rule, wire};
pub use world::fault::drill::Drills;
pub use world::fault::{FailedStatus, Fault, FaultKind};
pub use world::settings::Settings;
pub use world::state::resource;
pub use world::state::seeded::Seeded;
pub use world::state::{change, seeded, stored};
pub use world::{World, settings};
