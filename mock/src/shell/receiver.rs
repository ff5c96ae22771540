//! Receivers of webhooks (§6) for tests: one on a socket of its own, and one built into every world.

mod mailbox;
mod plan;
mod receive;

pub(crate) use mailbox::{Mailbox, RECEIVER, STATUSES_MAX};
pub use plan::StatusPlan;
pub use receive::{RECEIVED_BYTES_MAX, ReceivedCall, ReceiverResponse, receive};
