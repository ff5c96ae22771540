//! The members that change settings.

use moot_fixtures::contract::Answers;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::text::optional_text;
use crate::value::setting_text;
use crate::value::settings::{Progression, RateLimitMode};

/// New values of settings; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SettingsUpdate {
    /// of new legal requests: `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    #[serde(deserialize_with = "optional_progression")]
    #[schemars(with = "Option<String>")]
    pub progression: Option<Progression>,
    /// `enforce`, `observe` or `off`
    #[serde(deserialize_with = "rate_limit")]
    #[schemars(with = "Option<String>")]
    pub rate_limit: Option<RateLimitMode>,
    /// `default`, `documented`, `random:SEED`, or answers laid over the present ones
    #[serde(deserialize_with = "answers")]
    #[schemars(schema_with = "answers_schema")]
    pub answers: Option<AnswersUpdate>,
}

/// New answers to the open questions.
#[derive(Debug, Clone)]
pub enum AnswersUpdate {
    /// These in place of all.
    All(Box<Answers>),
    /// Only those of these questions.
    Some(Map<String, Value>),
}

/// Reads a progression.
pub(super) fn progression<'de, D: Deserializer<'de>>(reader: D) -> Result<Progression, D::Error> {
    let text = String::deserialize(reader)?;
    setting_text::progression(&text).map_err(D::Error::custom)
}

fn optional_progression<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<Progression>, D::Error> {
    optional_text(reader, setting_text::progression)
}

fn rate_limit<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<RateLimitMode>, D::Error> {
    optional_text(reader, setting_text::rate_limit)
}

fn answers<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<AnswersUpdate>, D::Error> {
    Ok(match Option::<Value>::deserialize(reader)? {
        None => None,
        Some(Value::String(name)) => {
            let all = setting_text::answers(&name).map_err(D::Error::custom)?;
            Some(AnswersUpdate::All(Box::new(all)))
        }
        Some(Value::Object(some)) => Some(AnswersUpdate::Some(some)),
        Some(_) => return Err(D::Error::custom("`answers` is a text or an object")),
    })
}

fn answers_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object", "null"] })
}
