//! The Legal Request Service as a state machine, and the thin shells that carry it.
//!
//! The core (everything but `shell`) knows no socket, no file, no clock and no random source: time,
//! client address and bodies come in as arguments, and a seed stands for chance. So the same calls on
//! equal worlds give equal bytes, whichever shell carried them. Read [`call`] for what goes in,
//! [`response`] for what comes out, [`world`] for the walk of a call.

#![deny(missing_docs)]

pub mod call;
pub mod response;
pub mod settings;
pub mod stored;

pub mod changes;
pub mod clock;
pub mod control;
pub mod defect;
pub mod resource;
pub mod seeded;
pub mod service;
pub mod world;

mod address;
mod authorise;
mod deliver;
mod delivery_policy;
mod document_type;
mod drill;
mod email;
mod fault;
mod fields;
mod identifier;
mod index;
mod journal;
mod keeper;
mod key;
mod limiter;
mod limits;
mod list;
mod oauth;
mod operation;
mod page;
mod pdf;
mod problem;
mod progression;
mod recent_pages;
mod recent_tokens;
mod rendered;
mod reply;
mod route;
mod short_id;
mod state;
mod table;
mod timestamp;
mod token;
mod transition;

#[cfg(feature = "server")]
pub mod shell;

pub use address::is_public;
pub use delivery_policy::{DeliveryPolicy, PolicyUpdate};
pub use drill::Drills;
pub use fault::{FailedStatus, Fault, FaultKind};
pub use seeded::Seeded;
pub use service::Service;
pub use settings::Settings;
#[cfg(feature = "embed")]
pub use shell::embed;
pub use world::World;
