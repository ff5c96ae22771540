//! The outbox: what is to be delivered, and what became of it.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Refusal;
use crate::changes::Change;
use crate::deliver;
use crate::delivery_policy::DeliveryPolicy;
use crate::resource::{Delivery, DeliveryState};
use crate::world::World;

/// Every delivery, oldest first. Shape: `{"deliveries": [{"id", "webhook_id", "event",
/// "legal_request_id", "state", "attempts": [{"at", "status" | "error"}], "next_attempt_at"}]}`.
pub(super) fn view(world: &World) -> Value {
    let deliveries = world.state().deliveries.values();
    let views: Vec<_> = deliveries.map(|delivery| delivery.view()).collect();
    json!({ "deliveries": views })
}

/// Changes how deliveries are attempted. Shape: that of [`DeliveryPolicy`].
pub(super) fn set_policy(world: &mut World, is_paused: Option<bool>) -> Value {
    let before = world.state().delivery_policy;
    let policy = DeliveryPolicy { is_paused: is_paused.unwrap_or(before.is_paused) };
    world.apply(vec![Change::SetDeliveryPolicy(policy)]);
    json!(policy)
}

/// Queues one once more.
pub(super) fn redeliver(world: &mut World, now: Timestamp, id: u64) -> Result<Value, Refusal> {
    let delivery = found(world, id)?;
    match delivery.state {
        DeliveryState::Queued { .. } | DeliveryState::Delivered | DeliveryState::Failed => {}
        DeliveryState::InFlight { .. } => {
            return Err(Refusal::conflict(format!("delivery {id} is being attempted now")));
        }
        DeliveryState::Discarded => {
            return Err(Refusal::conflict(format!(
                "delivery {id} was discarded: its webhook was deleted"
            )));
        }
    }
    let change = deliver::again(delivery, now);
    world.apply(vec![change]);
    Ok(json!(found(world, id)?.view()))
}

fn found(world: &World, id: u64) -> Result<&Delivery, Refusal> {
    let delivery = world.state().deliveries.get(&id);
    delivery
        .map(AsRef::as_ref)
        .ok_or_else(|| Refusal::unknown(format!("there is no delivery {id}")))
}
