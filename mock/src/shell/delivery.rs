//! Deliveries to webhooks: a thread that waits for what is due, and the client that sends it.

mod deliverer;
mod outbox;
mod sender;

pub(crate) use deliverer::Deliverer;
pub(crate) use outbox::SettleOutcome;
