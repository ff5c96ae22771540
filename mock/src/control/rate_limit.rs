//! The mode and the counts of the rate limit.

use jiff::Timestamp;
use moot_fixtures::contract::{RATE_WINDOW_SECONDS, REQUESTS_PER_MINUTE_MAX};
use serde_json::{Value, json};

use super::LimitedClients;
use crate::value::settings::RateLimitMode;
use crate::world::World;
use crate::world::state::change::Change;

/// Shape: `{"mode", "calls_max", "window_seconds", "window", "clients": [{"client", "counted"}]}`.
pub(super) fn view(world: &World, now: Timestamp) -> Value {
    let counts = world.limiter.counts(now).into_iter();
    json!({
        "mode": world.state().rate_limit,
        "calls_max": REQUESTS_PER_MINUTE_MAX,
        "window_seconds": RATE_WINDOW_SECONDS,
        "window": world.answers().rate_limit_window,
        "clients": counts
            .map(|(client, count)| json!({ "client": client, "counted": count }))
            .collect::<Vec<_>>(),
    })
}

/// Changes mode and counts, also those of the token endpoint's own limit.
pub(super) fn set(
    world: &mut World,
    now: Timestamp,
    mode: Option<RateLimitMode>,
    reset: bool,
    exhaust: Option<LimitedClients>,
) -> Value {
    world.apply(mode.into_iter().map(Change::SetRateLimit).collect());
    for limiter in world.limiters() {
        if reset {
            limiter.reset();
        }
        match exhaust {
            Some(LimitedClients::Client(client)) => limiter.exhaust(client, now),
            Some(LimitedClients::All) => limiter.exhaust_all(now),
            None => {}
        }
    }
    view(world, now)
}
