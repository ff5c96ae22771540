//! Deliveries to webhooks: a thread that waits for due attempts, and the client that sends them.

mod deliverer;
mod outbox;
mod sender;

pub(crate) use deliverer::{Deliverer, SettleOutcome};
