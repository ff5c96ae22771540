//! Timers: the next steps of legal requests, and the next attempts of deliveries.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::world::state::change::Effect;
use crate::world::{World, progression};

/// The next timers, the earliest first. `count` is the number of all timers. `kind` is as in `fired` of the
/// clock. Shape: `{"now", "frozen", "count", "timers": [{"at", "in_seconds", "kind", "id", "detail"}]}`.
pub(super) fn view(world: &World, now: Timestamp, limit: usize) -> Value {
    let state = world.state();
    let (steps, attempts) = (&state.steps, state.due_attempts());
    let mut timers: Vec<Effect> =
        steps.iter().take(limit).filter_map(|(at, row)| step(world, *at, *row)).collect();
    timers.extend(attempts.iter().take(limit).filter_map(|(at, id)| {
        let delivery = state.deliveries.get(id)?;
        Some(Effect::delivery(*at, *id, &delivery.event, &delivery.url))
    }));
    timers.sort_by_key(|timer| timer.at);
    let timers = timers.iter().take(limit).map(|Effect { at, kind, id, detail }| {
        let in_seconds = at.duration_since(now).as_secs().max(0);
        json!({ "at": at, "in_seconds": in_seconds, "kind": kind, "id": id, "detail": detail })
    });
    json!({
        "now": now,
        "frozen": state.clock.is_frozen(),
        "count": steps.len() + attempts.len(),
        "timers": timers.collect::<Vec<_>>(),
    })
}

/// The next step of a legal request.
fn step(world: &World, at: Timestamp, row: u32) -> Option<Effect> {
    let record = world.state().legal_requests.get(row)?;
    Some(Effect::transition(at, record, record.status, progression::next_status(world, record)?))
}
