//! The Legal Request Service as a state machine, and the shell that serves it.
//!
//! All modules except `shell` are the core. The core uses no socket, file, clock or random source. Time,
//! client address and bodies are arguments, and random values derive from a seed. So the same calls on
//! equal worlds give equal bytes. [`call`] is the input of the core, [`response`] its output, and
//! [`world`] describes the path of a call.

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
pub use world::fault::{FailedStatus, Fault, FaultEffect};
pub use world::settings::Settings;
pub use world::state::resource;
pub use world::state::seed_data::SeedData;
pub use world::state::{change, seed_data, stored_rows};
pub use world::{World, settings};
