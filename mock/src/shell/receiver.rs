//! Receivers of webhooks (§6) for people who have none: one on a socket of its own, and one that is
//! built into every world.

mod listener;
mod mailbox;

pub use listener::{RECEIVED_BYTES_MAX, Received, ReceiverPlan, receive};
pub(crate) use mailbox::{Arrival, Mailbox, RECEIVER, STATUSES_MAX};
