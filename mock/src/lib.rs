//! The Legal Request Service as a state machine, and the thin shells that carry it.
//!
//! The core (everything but `shell`) knows no socket, no file, no clock and no random source: time,
//! client address and bodies come in as arguments, and a seed stands for chance. So the same calls on
//! equal worlds give equal bytes, whichever shell carried them. Read [`call`] for what goes in,
//! [`response`] for what comes out, [`world`] for the walk of a call.

#![deny(missing_docs)]

mod fault;
mod journal;
mod message;
mod operation;
mod state;
mod value;

pub mod control;
pub mod defect;
pub mod resource;
pub mod service;
#[cfg(feature = "server")]
pub mod shell;
pub mod world;

pub use fault::drill::Drills;
pub use fault::{FailedStatus, Fault, FaultKind};
pub use message::{call, content, response, rule};
pub use service::Service;
#[cfg(feature = "embed")]
pub use shell::embed;
pub use state::seeded::Seeded;
pub use state::{change, seeded, stored};
pub use value::address::{AddressFault, is_public};
pub use value::clock;
pub use value::delivery_policy::{DeliveryPolicy, PolicyUpdate};
pub use world::settings::Settings;
pub use world::{World, settings};
