//! Reset, restart, and checkpoints: named states of a world to which a test goes back.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Refusal, overview};
use crate::value::limits::{CHECKPOINT_NAME_LENGTH_MAX, CHECKPOINTS_MAX};
use crate::world::World;
use crate::world::fault::drill::Drills;
use crate::world::state::change::{Change, Checkpoint};

/// Takes a world back to its start, or to a checkpoint. Returns the overview of the world, and the former
/// world. Dropping that one removes files, so the caller drops it outside of locks.
pub(crate) fn go_back(
    world: &mut World,
    system_now: Timestamp,
    checkpoint: Option<&str>,
) -> Result<(Value, Box<World>), Refusal> {
    let earlier = match checkpoint {
        None => world.at_first(),
        Some(name) => {
            let checkpoint = world.state().checkpoints.get(name).ok_or_else(|| unknown(name))?;
            world.at_checkpoint(checkpoint)
        }
    };
    let earlier = earlier.map_err(|error| Refusal::conflict(error.to_string()))?;
    let former = std::mem::replace(world, earlier);
    Ok((overview::world(world, world.now(system_now)), Box::new(former)))
}

/// Restarts the service from a client's point of view: forgets faults, drills and the counts of the rate
/// limit, which `--state` does not store. The journal and all acknowledged changes remain.
pub(super) fn restart(world: &mut World, system_now: Timestamp) -> Value {
    world.faults.clear();
    *world.drills.write() = Drills::default();
    world.limiters().for_each(|limiter| limiter.reset());
    if let Some(hook) = world.hook.clone() {
        hook.restart(world);
    }
    overview::world(world, world.now(system_now))
}

/// All checkpoints, by name. Shape: `{"checkpoints": [{"name", "time"}]}`; `time` is the world's time of
/// the checkpoint.
pub(super) fn view(world: &World) -> Value {
    let checkpoints = world.state().checkpoints.iter();
    let views: Vec<Value> = checkpoints.map(|(name, made)| row(name, made)).collect();
    json!({ "checkpoints": views })
}

/// Creates or replaces a checkpoint. Shape: a member of `checkpoints`.
pub(super) fn put(world: &mut World, now: Timestamp, name: String) -> Result<Value, Refusal> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    let is_name = (1..=CHECKPOINT_NAME_LENGTH_MAX).contains(&name.len())
        && name.chars().all(is_plain)
        && !name.chars().all(|character| character == '.');
    if !is_name {
        let detail = format!(
            "`name` is 1 to {CHECKPOINT_NAME_LENGTH_MAX} letters, digits, `.`, `_` and `-`, not `{name}`"
        );
        return Err(Refusal::invalid(detail));
    }
    let known = &world.state().checkpoints;
    if known.len() >= CHECKPOINTS_MAX && !known.contains_key(&name) {
        let detail = format!("there are {CHECKPOINTS_MAX} checkpoints already: delete some");
        return Err(Refusal::conflict(detail));
    }
    let checkpoint = Checkpoint { made_at: now, changes: world.state().changes() };
    let shown = row(&name, &checkpoint);
    world.apply(vec![Change::PutCheckpoint { name, checkpoint: Arc::new(checkpoint) }]);
    Ok(shown)
}

/// Deletes a checkpoint. Shape: as [`view`].
pub(super) fn delete(world: &mut World, name: String) -> Result<Value, Refusal> {
    if !world.state().checkpoints.contains_key(&name) {
        return Err(unknown(&name));
    }
    world.apply(vec![Change::DeleteCheckpoint { name }]);
    Ok(view(world))
}

fn row(name: &str, checkpoint: &Checkpoint) -> Value {
    json!({ "name": name, "time": checkpoint.made_at })
}

fn unknown(name: &str) -> Refusal {
    Refusal::unknown(format!(
        "there is no checkpoint `{name}`: GET /__admin/checkpoints lists them"
    ))
}
