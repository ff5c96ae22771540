//! The Legal Request Service as a state machine, and the thin shells that carry it.
//!
//! The core (everything but `shell`) knows no socket, no file, no clock and no random source: time,
//! client address and bodies come in as arguments, and a seed stands for chance. So the same calls on
//! equal worlds give equal bytes, whichever shell carried them. Read [`call`] for what goes in,
//! [`response`] for what comes out, [`world`] for the walk of a call.

pub mod call;
pub mod response;
pub mod settings;

pub mod clock;
pub mod control;
pub mod seeded;
pub mod service;
pub mod world;

#[cfg(feature = "server")]
pub mod shell;

#[cfg(feature = "embed")]
pub use shell::embed;

pub use seeded::Seeded;
pub use service::Service;
pub use settings::Settings;
pub use world::World;
