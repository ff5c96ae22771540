//! Checkpoints: states of a world that a test goes back to.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::Refusal;
use crate::value::limits::{CHECKPOINT_NAME_LENGTH_MAX, CHECKPOINTS_MAX};
use crate::value::timestamp;
use crate::world::World;
use crate::world::state::change::{Change, Checkpoint};

/// All checkpoints, by name. Shape: `{"checkpoints": [{"name", "time"}]}`; `time` is the world's when it
/// was made.
pub(super) fn view(world: &World) -> Value {
    let checkpoints = world.state().checkpoints.iter();
    let views: Vec<Value> = checkpoints.map(|(name, made)| row(name, made)).collect();
    json!({ "checkpoints": views })
}

/// Makes one, or makes it again. Shape: a member of `checkpoints`.
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
    let answer = row(&name, &checkpoint);
    world.apply(vec![Change::PutCheckpoint { name, checkpoint: Arc::new(checkpoint) }]);
    Ok(answer)
}

/// The world as it was at one.
pub(super) fn world_at(world: &World, name: &str) -> Result<World, Refusal> {
    let checkpoint = world.state().checkpoints.get(name).ok_or_else(|| unknown(name))?;
    world.at_checkpoint(checkpoint).map_err(|error| Refusal::conflict(error.to_string()))
}

/// Forgets one; gives the others.
pub(super) fn delete(world: &mut World, name: String) -> Result<Value, Refusal> {
    if !world.state().checkpoints.contains_key(&name) {
        return Err(unknown(&name));
    }
    world.apply(vec![Change::DeleteCheckpoint { name }]);
    Ok(view(world))
}

fn row(name: &str, checkpoint: &Checkpoint) -> Value {
    json!({ "name": name, "time": timestamp::exact(checkpoint.made_at) })
}

fn unknown(name: &str) -> Refusal {
    Refusal::unknown(format!(
        "there is no checkpoint `{name}`: GET /__admin/checkpoints lists them"
    ))
}
