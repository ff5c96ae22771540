//! The deliveries of a world, and the delivery policy.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{DeliveryFilter, Refusal};
use crate::value::delivery_policy::PolicyUpdate;
use crate::value::limits::{DUPLICATES_MAX, EVENT_LENGTH_MAX};
use crate::world::state::change::Change;
use crate::world::state::resource::{Delivery, DeliveryProgress};
use crate::world::{World, deliver};

/// The deliveries that match, the oldest first. Shape: `{"deliveries": [{"id", "webhook_id", "event",
/// "legal_request_id", "state", "attempts": [{"at", "status" | "error", "milliseconds"}], "next_attempt_at"}]}`.
pub(super) fn view(world: &World, filter: &DeliveryFilter) -> Value {
    let deliveries = world.state().deliveries.values().filter(|delivery| filter.matches(delivery));
    let views: Vec<_> = deliveries.map(|delivery| delivery.json()).collect();
    json!({ "deliveries": views })
}

/// Changes the delivery policy. Shape: that of [`crate::DeliveryPolicy`].
pub(super) fn set_policy(world: &mut World, update: PolicyUpdate) -> Result<Value, Refusal> {
    let policy = world.state().delivery_policy.updated(update);
    if policy.duplicates > DUPLICATES_MAX {
        return Err(Refusal::invalid(format!("`duplicates` is {DUPLICATES_MAX} at most")));
    }
    if policy.event.as_ref().is_some_and(|event| event.chars().count() > EVENT_LENGTH_MAX) {
        let detail = format!("`event` has {EVENT_LENGTH_MAX} characters at most");
        return Err(Refusal::invalid(detail));
    }
    let shown = json!(policy);
    world.apply(vec![Change::SetDeliveryPolicy(policy)]);
    Ok(shown)
}

/// Queues a delivery again. Shape: a member of `deliveries`.
pub(super) fn redeliver(world: &mut World, now: Timestamp, id: u64) -> Result<Value, Refusal> {
    let delivery = find(world, id)?;
    match delivery.progress {
        DeliveryProgress::Queued { .. }
        | DeliveryProgress::Delivered
        | DeliveryProgress::Failed => {}
        DeliveryProgress::InFlight { .. } => {
            return Err(Refusal::conflict(format!("delivery {id} is being attempted now")));
        }
        DeliveryProgress::Discarded => {
            return Err(Refusal::conflict(format!(
                "delivery {id} was discarded: its webhook was deleted"
            )));
        }
    }
    let change = deliver::again(delivery, now);
    world.apply(vec![change]);
    Ok(json!(find(world, id)?.json()))
}

fn find(world: &World, id: u64) -> Result<&Delivery, Refusal> {
    let delivery = world.state().deliveries.get(&id);
    delivery
        .map(AsRef::as_ref)
        .ok_or_else(|| Refusal::unknown(format!("there is no delivery {id}")))
}
