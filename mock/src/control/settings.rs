//! Settings that change while a world runs.

use std::sync::Arc;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use serde_json::{Value, json};

use super::Refusal;
use super::settings_request::{AnswersUpdate, SettingsUpdate};
use crate::value::message::route::Router;
use crate::world::World;
use crate::world::state::change::Change;

/// Shape: `{"progression", "rate_limit", "answers": {…}}`.
pub(super) fn view(world: &World) -> Value {
    json!({
        "progression": world.state().progression.to_string(),
        "rate_limit": world.state().rate_limit,
        "answers": world.answers(),
    })
}

/// Changes what is there.
pub(super) fn set(world: &mut World, update: SettingsUpdate) -> Result<Value, Refusal> {
    let SettingsUpdate { progression, rate_limit, answers } = update;
    let answers = answers.map(|update| updated(world.answers(), update)).transpose()?;
    let mut changes: Vec<Change> = progression.into_iter().map(Change::SetProgression).collect();
    changes.extend(rate_limit.map(Change::SetRateLimit));
    changes.extend(answers.map(Arc::new).map(Change::SetAnswers));
    world.apply(changes);
    Ok(view(world))
}

fn updated(present: &Answers, update: AnswersUpdate) -> Result<Answers, Refusal> {
    let answers = match update {
        AnswersUpdate::All(all) => *all,
        AnswersUpdate::Some(some) => {
            let mut all = json!(present);
            if let Value::Object(all) = &mut all {
                all.extend(some);
            }
            // JSON is YAML, so the reader of files does this, with its rules and hints.
            answers::parse(&all.to_string())
                .map_err(|error| Refusal::invalid(format!("`answers`: {error}")))?
        }
    };
    Router::new(&answers).map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(answers)
}
