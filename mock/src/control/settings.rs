//! Settings that can be changed at run time.

use std::sync::Arc;

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::Refusal;
use super::text::optional_text;
use crate::value::message::route::Router;
use crate::value::setting_text;
use crate::value::settings::{Progression, RateLimitMode};
use crate::world::World;
use crate::world::state::change::Change;

/// New values of settings. Absent members keep their value.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SettingsUpdate {
    /// for new legal requests: `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    #[serde(deserialize_with = "optional_progression")]
    #[schemars(with = "Option<String>")]
    pub progression: Option<Progression>,
    /// `enforce`, `observe` or `off`
    #[serde(deserialize_with = "rate_limit")]
    #[schemars(with = "Option<String>")]
    pub rate_limit: Option<RateLimitMode>,
    /// `default`, `documented`, `random:SEED`, or an object that replaces some of the present answers
    #[schemars(schema_with = "answers_schema", skip_serializing_if = "Option::is_none")]
    pub answers: Option<Value>,
}

/// Shape: `{"progression", "rate_limit", "answers": {…}}`.
pub(super) fn view(world: &World) -> Value {
    json!({
        "progression": world.state().progression.to_string(),
        "rate_limit": world.state().rate_limit,
        "answers": world.answers(),
    })
}

/// Changes the settings that `update` has. Shape: as [`view`].
pub(super) fn set(world: &mut World, update: SettingsUpdate) -> Result<Value, Refusal> {
    let SettingsUpdate { progression, rate_limit, answers } = update;
    let answers = answers.map(|update| merge_answers(world.answers(), update)).transpose()?;
    let mut changes: Vec<Change> = progression.into_iter().map(Change::SetProgression).collect();
    changes.extend(rate_limit.map(Change::SetRateLimit));
    changes.extend(answers.map(Arc::new).map(Change::SetAnswers));
    world.apply(changes);
    Ok(view(world))
}

fn merge_answers(present: &Answers, update: Value) -> Result<Answers, Refusal> {
    let answers = match update {
        Value::String(name) => {
            setting_text::answers(&name).map_err(|error| Refusal::invalid(error.to_string()))?
        }
        Value::Object(some) => {
            let mut all = json!(present);
            if let Value::Object(all) = &mut all {
                all.extend(some);
            }
            // JSON is YAML, so the reader of answers files can check it and give hints. A place in this text
            // would mean nothing to the caller.
            answers::parse(&all.to_string()).map_err(|mut error| {
                error.place = None;
                Refusal::invalid(error.to_string())
            })?
        }
        _ => return Err(Refusal::invalid("`answers` is a text or an object")),
    };
    Router::new(&answers).map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(answers)
}

pub(super) fn progression<'de, D: Deserializer<'de>>(reader: D) -> Result<Progression, D::Error> {
    let text = String::deserialize(reader)?;
    setting_text::progression(&text).map_err(D::Error::custom)
}

pub(crate) fn optional_progression<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<Progression>, D::Error> {
    optional_text(reader, setting_text::progression)
}

pub(crate) fn rate_limit<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<RateLimitMode>, D::Error> {
    optional_text(reader, setting_text::rate_limit)
}

fn answers_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object", "null"] })
}
