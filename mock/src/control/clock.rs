//! Moving a world's clock. What falls due on the way happens at its own time.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::Refusal;
use crate::value::timestamp;
use crate::world::World;
use crate::world::state::change::{Change, Effect};

/// The time, and what fired. Shape: `{"now", "frozen", "fired": [{"at", "kind", "id", "detail"}]}`.
pub(super) fn view(world: &World, system_now: Timestamp, fired: &[Effect]) -> Value {
    json!({
        "now": timestamp::exact(world.now(system_now)),
        "frozen": world.state().clock.is_frozen(),
        "fired": fired.iter().map(Effect::view).collect::<Vec<_>>(),
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
