//! Receivers of webhooks (§6) for people who have none: one on a socket of its own, and one that is
//! built into every world.

mod mailbox;
mod plan;
mod receive;

pub(crate) use mailbox::{Arrival, Mailbox, RECEIVER, STATUSES_MAX};
pub use plan::StatusPlan;
pub use receive::{RECEIVED_BYTES_MAX, ReceivedCall, ReceiverAnswer, receive};
