//! Moves a world's clock. Events that fall due on the way happen at their own time.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::Refusal;
use crate::world::World;
use crate::world::state::change::{Change, Effect};

/// A move of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMove {
    /// Forward by this number of seconds.
    Advance(u64),
    /// Forward to this time.
    To(Timestamp),
    /// Forward to the next due event. Without one, the clock keeps its time.
    Next,
    /// Stops the clock (`true`), or starts it at its present time (`false`).
    Freeze(bool),
}

/// The members of a clock move.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ClockRequest {
    /// seconds to move forward
    advance_seconds: Option<u64>,
    /// forward to this ISO 8601 time
    set: Option<String>,
    /// `true`: forward to the next due event
    #[serde(default)]
    next: bool,
    /// `true`: stop at the present time; `false`: run from the present time
    freeze: Option<bool>,
    /// seconds of real time to wait for a response of a receiver; 10 if absent, at most 600
    #[serde(rename = "wait_seconds")]
    _wait_seconds: Option<u64>,
}

/// Reads a move of the clock from its members.
pub(super) fn clock_move<'de, D: Deserializer<'de>>(reader: D) -> Result<ClockMove, D::Error> {
    // The shell handles `wait_seconds`.
    let ClockRequest { advance_seconds, set, next, freeze, .. } =
        ClockRequest::deserialize(reader)?;
    match (advance_seconds, set, next, freeze) {
        (Some(seconds), None, false, None) => Ok(ClockMove::Advance(seconds)),
        (None, Some(time), false, None) => time.parse().map(ClockMove::To).map_err(|_| {
            // `jiff` ends the calendar a day early, so that every time has a date in every zone.
            D::Error::custom(format!(
                "`set` is a time such as 2026-03-05T14:30:00Z, 9999-12-30T22:00:00Z at most, not \
                 `{time}`"
            ))
        }),
        (None, None, true, None) => Ok(ClockMove::Next),
        (None, None, false, Some(freeze)) => Ok(ClockMove::Freeze(freeze)),
        _ => {
            let wanted = "give exactly one of `advance_seconds`, `set`, `next` and `freeze`";
            Err(D::Error::custom(wanted))
        }
    }
}

/// The time, and the events that fired. Shape: `{"now", "frozen", "fired": [{"at", "kind", "id", "detail"}]}`.
pub(super) fn view(world: &World, system_now: Timestamp, fired: &[Effect]) -> Value {
    json!({
        "now": world.now(system_now),
        "frozen": world.state().clock.is_frozen(),
        "fired": fired,
    })
}

/// Moves, freezes or starts the clock.
pub(super) fn perform(
    world: &mut World,
    system_now: Timestamp,
    clock_move: ClockMove,
) -> Result<Value, Refusal> {
    let now = world.now(system_now);
    let at = match clock_move {
        ClockMove::Advance(seconds) => i64::try_from(seconds)
            .ok()
            .and_then(|seconds| now.checked_add(SignedDuration::from_secs(seconds)).ok())
            .ok_or_else(|| Refusal::invalid("that is beyond the end of the year 9999"))?,
        ClockMove::To(at) if at < now => {
            let detail =
                format!("it is {now} already, and time only goes forward; reset the world");
            return Err(Refusal::invalid(detail));
        }
        ClockMove::To(at) => at,
        ClockMove::Next => world.state().next_due().map_or(now, |due| due.max(now)),
        ClockMove::Freeze(freeze) => {
            let clock = world.state().clock.frozen(freeze, system_now);
            world.apply(vec![Change::SetClock(clock)]);
            return Ok(view(world, system_now, &[]));
        }
    };
    let fired = world.perform_due(at);
    let clock = world.state().clock.moved_to(at, system_now);
    world.apply(vec![Change::SetClock(clock)]);
    Ok(view(world, system_now, &fired))
}
