//! A restart of the service, as far as a client can tell.

use jiff::Timestamp;
use serde_json::Value;

use super::overview;
use crate::world::World;
use crate::world::fault::drill::Drills;

/// Forgets what `--state` does not keep, but for the journal: faults, drills, the counts of the limiter. Everything
/// that a response acknowledged stays.
pub(super) fn restart(world: &mut World, system_now: Timestamp) -> Value {
    world.faults().clear();
    world.drilled().set(Drills::default());
    let limiters = world.token_limiter().map(|(_, limiter)| limiter);
    limiters.into_iter().chain([world.limiter()]).for_each(|limiter| limiter.reset());
    if let Some(hook) = world.hook_to_keep() {
        hook.restart(world);
    }
    overview::world(world, world.now(system_now))
}
