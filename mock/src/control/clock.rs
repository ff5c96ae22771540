//! Moving a world's clock. What falls due on the way happens at its own time.

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::Refusal;
use crate::value::timestamp;
use crate::world::World;
use crate::world::state::change::{Change, Effect};

/// A move of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMove {
    /// Forward by this many seconds; what falls due on the way happens at its own time.
    Advance(u64),
    /// Forward to this time.
    To(Timestamp),
    /// Forward to the next thing due; with nothing due it stays.
    Next,
    /// It stands still from now on (`true`), or runs on from its time (`false`).
    Freeze(bool),
}

/// The members of a clock move.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ClockRequest {
    /// so far forward
    advance_seconds: Option<u64>,
    /// forward to this ISO 8601 time
    set: Option<String>,
    /// `true`: forward to the next thing due
    #[serde(default)]
    next: bool,
    /// `true`: stand still at the present time; `false`: run on from it
    freeze: Option<bool>,
    /// real time without an answer of any receiver, 10 if absent, 600 at most
    #[serde(rename = "wait_seconds")]
    _wait_seconds: Option<u64>,
}

/// Reads a move of the clock from its members.
pub(super) fn clock_move<'de, D: Deserializer<'de>>(reader: D) -> Result<ClockMove, D::Error> {
    // The shell waits.
    let ClockRequest { advance_seconds, set, next, freeze, .. } =
        ClockRequest::deserialize(reader)?;
    match (advance_seconds, set, next, freeze) {
        (Some(seconds), None, false, None) => Ok(ClockMove::Advance(seconds)),
        (None, Some(time), false, None) => time.parse().map(ClockMove::To).map_err(|_| {
            // The calendar ends a day early, so that every time has a date in every zone.
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

/// The time, and what fired. Shape: `{"now", "frozen", "fired": [{"at", "kind", "id", "detail"}]}`.
pub(super) fn view(world: &World, system_now: Timestamp, fired: &[Effect]) -> Value {
    json!({
        "now": timestamp::exact(world.now(system_now)),
        "frozen": world.state().clock.is_frozen(),
        "fired": fired,
    })
}

/// Moves the clock forward.
pub(super) fn advance(
    world: &mut World,
    system_now: Timestamp,
    seconds: u64,
) -> Result<Value, Refusal> {
    let at = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| {
            world.now(system_now).checked_add(SignedDuration::from_secs(seconds)).ok()
        })
        .ok_or_else(|| Refusal::invalid("that is beyond the end of the year 9999".to_owned()))?;
    Ok(move_to(world, system_now, at))
}

/// Forward to a time.
pub(super) fn set(
    world: &mut World,
    system_now: Timestamp,
    at: Timestamp,
) -> Result<Value, Refusal> {
    let now = world.now(system_now);
    if at < now {
        let now = timestamp::exact(now);
        let detail = format!("it is {now} already, and time only goes forward; reset the world");
        return Err(Refusal::invalid(detail));
    }
    Ok(move_to(world, system_now, at))
}

/// Forward to the next thing due; with nothing due the clock stays.
pub(super) fn next(world: &mut World, system_now: Timestamp) -> Value {
    let now = world.now(system_now);
    let at = world.state().next_due().map_or(now, |due| due.max(now));
    move_to(world, system_now, at)
}

/// Lets the clock stand still, or run on from its time.
pub(super) fn freeze(world: &mut World, system_now: Timestamp, freeze: bool) -> Value {
    let clock = world.state().clock.frozen(freeze, system_now);
    world.apply(vec![Change::SetClock(clock)]);
    view(world, system_now, &[])
}

fn move_to(world: &mut World, system_now: Timestamp, at: Timestamp) -> Value {
    let fired = world.settle(at);
    let clock = world.state().clock.moved_to(at, system_now);
    world.apply(vec![Change::SetClock(clock)]);
    view(world, system_now, &fired)
}
