//! Deliveries to webhooks: a thread that waits for what is due, and the client that sends it.

mod deliverer;
mod sender;

pub(crate) use deliverer::{Deliverer, SettleOutcome};
