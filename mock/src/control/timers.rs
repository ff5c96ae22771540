//! Timers: the next steps of legal requests, and the next attempts of deliveries.

use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;
use serde_json::{Value, json};

use crate::world::World;
use crate::world::state::change::EffectKind;
use crate::world::state::resource::status_way;

/// The next timers, the earliest first. `count` is the number of all timers. `kind` is as in `fired` of the
/// clock. Shape: `{"now", "frozen", "count", "timers": [{"at", "in_seconds", "kind", "id", "detail"}]}`.
pub(super) fn view(world: &World, now: Timestamp, limit: usize) -> Value {
    let (steps, attempts) = (world.state().due_steps(), world.state().due_attempts());
    let count = steps.len() + attempts.len();
    let mut timers: Vec<(Timestamp, Value)> = steps
        .iter()
        .take(limit)
        .filter_map(|(at, row)| Some((*at, step(world, now, *at, *row)?)))
        .collect();
    timers.extend(attempts.iter().take(limit).filter_map(|(at, id)| {
        let delivery = world.state().deliveries.get(id)?;
        let detail = format!("{} to {}", delivery.event, delivery.url);
        let attempt = timer(now, *at, EffectKind::Delivery, &id.to_string(), &detail);
        Some((*at, attempt))
    }));
    timers.sort_by_key(|(at, _)| *at);
    let timers: Vec<Value> = timers.into_iter().take(limit).map(|(_, timer)| timer).collect();
    json!({
        "now": now,
        "frozen": world.state().clock.is_frozen(),
        "count": count,
        "timers": timers,
    })
}

/// The next step of a legal request.
fn step(world: &World, now: Timestamp, at: Timestamp, row: u32) -> Option<Value> {
    let record = world.state().legal_requests.get(row)?;
    let from = record.status();
    let way = status_way::towards_goal(world.answers(), from, record.course?.goal)?;
    let to = *way.first()?;
    let kind = match to {
        LegalRequestStatus::Expired => EffectKind::Expiry,
        _ => EffectKind::Transition,
    };
    let detail = format!("{} -> {}", from.as_str(), to.as_str());
    Some(timer(now, at, kind, &record.id, &detail))
}

fn timer(now: Timestamp, at: Timestamp, kind: EffectKind, id: &str, detail: &str) -> Value {
    json!({
        "at": at,
        "in_seconds": at.duration_since(now).as_secs().max(0),
        "kind": kind,
        "id": id,
        "detail": detail,
    })
}
