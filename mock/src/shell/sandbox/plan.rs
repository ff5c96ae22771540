//! The settings of a new sandbox: the members of the action that creates it.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{answers, world};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::control::{optional_progression, optional_text, rate_limit};
use crate::defect::Defect;
use crate::shell::{clock, settings};
use crate::value::settings::{ClockSetting, Progression, RateLimitMode};

/// The longest lease in seconds: 30 days.
const LEASE_SECONDS_MAX: u64 = 30 * 24 * 60 * 60;

/// The settings in which a sandbox differs from the main world.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct SandboxPlan {
    /// name of an embedded world, or a whole seed world
    #[serde(deserialize_with = "seed_world")]
    #[schemars(schema_with = "text_or_object")]
    pub(crate) world: Option<ChosenWorld>,
    /// `default`, `documented`, `random:SEED`, or the answers that differ from the default
    #[serde(deserialize_with = "world_answers")]
    #[schemars(schema_with = "text_or_object")]
    pub(crate) answers: Option<Box<Answers>>,
    // With its own seed, tokens of other worlds are not valid in a sandbox.
    /// the seed of ids and tokens; a new one if absent
    pub(crate) seed: Option<u64>,
    /// `real`, `frozen` or `frozen:TIME`
    #[serde(deserialize_with = "clock_setting")]
    #[schemars(with = "Option<String>")]
    pub(crate) clock: Option<ClockSetting>,
    /// `enforce`, `observe` or `off`
    #[serde(deserialize_with = "rate_limit")]
    #[schemars(with = "Option<String>")]
    pub(crate) rate_limit: Option<RateLimitMode>,
    /// `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    #[serde(deserialize_with = "optional_progression")]
    #[schemars(with = "Option<String>")]
    pub(crate) progression: Option<Progression>,
    /// seconds without a call after which the sandbox is deleted; never if absent
    #[serde(rename = "lease_seconds", deserialize_with = "lease")]
    #[schemars(with = "Option<u64>")]
    pub(crate) lease: Option<Duration>,
    /// ids of defects (`moot explain ID` describes each)
    #[serde(deserialize_with = "defects")]
    #[schemars(with = "Option<Vec<String>>")]
    pub(crate) defects: Option<Vec<&'static Defect>>,
}

/// The seed world of a sandbox.
#[derive(Debug, Clone)]
pub(crate) struct ChosenWorld {
    pub(crate) world: Arc<SeedWorld>,
    /// Whether it was given inline, not by its name.
    pub(crate) is_inline: bool,
}

/// Reads a name or an inline value. JSON is YAML, so `parse`, the reader of YAML files, reads inline values.
fn chosen<'de, T, D: Deserializer<'de>, N: Display, P: Display>(
    reader: D,
    named: impl Fn(&str) -> Result<T, N>,
    parse: impl Fn(&str) -> Result<T, P>,
) -> Result<Option<T>, D::Error> {
    match Option::<Value>::deserialize(reader)? {
        None => Ok(None),
        Some(Value::String(name)) => named(&name).map(Some).map_err(D::Error::custom),
        Some(inline) => parse(&inline.to_string()).map(Some).map_err(D::Error::custom),
    }
}

fn seed_world<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<ChosenWorld>, D::Error> {
    let of = |is_inline: bool| move |world: Arc<SeedWorld>| ChosenWorld { world, is_inline };
    let parse = |text: &str| world::parse(text).map(Arc::new).map(of(true));
    chosen(reader, |name| settings::world(name).map(of(false)), parse)
}

fn world_answers<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Box<Answers>>, D::Error> {
    let parse = |text: &str| answers::parse(text).map(Box::new);
    chosen(reader, |name| settings::answers(name).map(Box::new), parse)
}

fn clock_setting<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<ClockSetting>, D::Error> {
    optional_text(reader, |text| settings::clock(text, clock::now()))
}

pub(crate) fn lease<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Duration>, D::Error> {
    match Option::<u64>::deserialize(reader)? {
        Some(seconds) if !(1..=LEASE_SECONDS_MAX).contains(&seconds) => Err(D::Error::custom(
            format!("`lease_seconds` is 1 to {LEASE_SECONDS_MAX}, not {seconds}"),
        )),
        seconds => Ok(seconds.map(Duration::from_secs)),
    }
}

fn defects<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Vec<&'static Defect>>, D::Error> {
    let ids: Option<Vec<String>> = Option::deserialize(reader)?;
    let found = ids.map(|ids| ids.iter().map(|id| settings::defect(id)).collect());
    found.transpose().map_err(D::Error::custom)
}

fn text_or_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object", "null"] })
}
