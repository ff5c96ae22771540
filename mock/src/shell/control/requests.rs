//! The JSON bodies that the control plane takes, read with hints.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus, Scopes};
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{answers, world};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::PolicyUpdate;
use crate::control::{Ask, Exhaust};
use crate::shell::answer::Problem;
use crate::shell::receiver::STATUSES_MAX;
use crate::shell::sandbox::LEASE_SECONDS_MAX;
use crate::shell::sandbox::{Chosen, Plan};
use crate::shell::settings;
use moot_fixtures::nearest::{ending, nearest};

/// Reads a body; none at all is an empty object.
///
/// # Errors
/// 400 where it is no JSON object of this shape, with the nearest name of an unknown member.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Problem> {
    let bytes: &[u8] = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(bytes).map_err(|error| Problem::malformed(with_hint(&error.to_string())))
}

/// serde names what was found and what was expected between backticks, in this order.
fn with_hint(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let near = message
        .starts_with("unknown ")
        .then(|| names.next().and_then(|given| nearest(given, names)))
        .flatten();
    match near {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message.to_owned(),
    }
}

/// Body of an action that takes nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// Body of `POST /sandboxes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateSandbox {
    world: Option<Value>,
    answers: Option<Value>,
    seed: Option<u64>,
    clock: Option<String>,
    rate_limit: Option<String>,
    progression: Option<String>,
    lease_seconds: Option<u64>,
    defects: Option<Vec<String>>,
}

impl CreateSandbox {
    pub(super) fn plan(self, now: Timestamp) -> Result<Plan, Problem> {
        let Self { world, answers, seed, clock, rate_limit, progression, lease_seconds, defects } =
            self;
        let clock = clock.map(|text| settings::clock(&text, now)).transpose();
        let rate_limit = rate_limit.map(|text| settings::rate_limit(&text)).transpose();
        let progression = progression.map(|text| settings::progression(&text)).transpose();
        let named = |ids: Vec<String>| ids.iter().map(|id| settings::defect(id)).collect();
        let defects = defects.map(named).transpose();
        Ok(Plan {
            world: world.map(chosen_world).transpose()?,
            answers: answers.map(chosen_answers).transpose()?,
            seed,
            clock: clock.map_err(invalid)?,
            rate_limit: rate_limit.map_err(invalid)?,
            progression: progression.map_err(invalid)?,
            lease: lease_seconds.map(lease).transpose()?,
            defects: defects.map_err(invalid)?,
        })
    }
}

fn lease(seconds: u64) -> Result<Duration, Problem> {
    if (1..=LEASE_SECONDS_MAX).contains(&seconds) {
        return Ok(Duration::from_secs(seconds));
    }
    Err(invalid(format!("`lease_seconds` is 1 to {LEASE_SECONDS_MAX}, not {seconds}")))
}

fn invalid(error: impl std::fmt::Display) -> Problem {
    Problem::invalid_value(error.to_string())
}

/// A name, or a world as it stands: JSON is YAML, so the reader of files reads it, with its rules
/// and hints.
fn chosen_world(value: Value) -> Result<Chosen<SeedWorld>, Problem> {
    match value {
        Value::String(name) => {
            let value = settings::world(&name).map_err(invalid)?;
            Ok(Chosen { name: Some(name), value })
        }
        inline => {
            let value = world::parse(&inline.to_string()).map_err(invalid)?;
            Ok(Chosen { name: None, value: Arc::new(value) })
        }
    }
}

/// A name, or answers laid over the default ones.
fn chosen_answers(value: Value) -> Result<Chosen<Answers>, Problem> {
    match value {
        Value::String(name) => {
            let value = Arc::new(settings::answers(&name).map_err(invalid)?);
            Ok(Chosen { name: Some(name), value })
        }
        inline => {
            let value = answers::parse(&inline.to_string()).map_err(invalid)?;
            Ok(Chosen { name: None, value: Arc::new(value) })
        }
    }
}

/// Body of `POST /clock`: exactly one of the three.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoveClock {
    advance_seconds: Option<u64>,
    set: Option<String>,
    next: Option<bool>,
}

/// A move of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Advance(u64),
    To(Timestamp),
    Next,
}

impl MoveClock {
    pub(super) fn chosen(self) -> Result<Move, Problem> {
        match (self.advance_seconds, self.set, self.next) {
            (Some(seconds), None, None) => Ok(Move::Advance(seconds)),
            (None, Some(time), None) => time.parse().map(Move::To).map_err(|_| {
                let detail = format!("`set` is a time such as 2026-03-05T14:30:00Z, not `{time}`");
                Problem::invalid_value(detail)
            }),
            (None, None, Some(true)) => Ok(Move::Next),
            _ => {
                let detail = "give exactly one of `advance_seconds`, `set` and `next: true`";
                Err(Problem::malformed(detail))
            }
        }
    }
}

/// Body of `POST /legal_requests/{id}/status`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetStatus {
    status: LegalRequestStatus,
    comment: Option<String>,
    #[serde(default)]
    force: bool,
}

impl SetStatus {
    pub(super) fn ask(self, id: String) -> Ask {
        let Self { status, comment, force } = self;
        Ask::SetStatus { id, status, comment, force }
    }
}

/// Body of `POST /legal_requests/{id}/comments`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddComment {
    pub(super) comment: String,
}

/// Body of `POST /tokens`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MintToken {
    client_id: String,
    scopes: Option<Scopes>,
    #[serde(default)]
    age_seconds: i64,
}

impl MintToken {
    pub(super) fn ask(self) -> Ask {
        let Self { client_id, scopes, age_seconds } = self;
        Ask::MintToken { client_id, scopes, age_seconds }
    }
}

/// Body of `POST /tokens/expire` and `POST /tokens/revoke`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TheToken {
    pub(super) token: String,
}

/// Body of `PUT /rate_limit`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetRateLimit {
    mode: Option<String>,
    #[serde(default)]
    reset: bool,
    exhaust: Option<String>,
}

impl SetRateLimit {
    pub(super) fn ask(self) -> Result<Ask, Problem> {
        let mode = self.mode.map(|text| settings::rate_limit(&text)).transpose();
        let mode = mode.map_err(invalid)?;
        let exhaust = self.exhaust.map(|text| exhaust(&text)).transpose()?;
        Ok(Ask::RateLimitSet { mode, reset: self.reset, exhaust })
    }
}

fn exhaust(text: &str) -> Result<Exhaust, Problem> {
    if text == "all" {
        return Ok(Exhaust::All);
    }
    match text.parse::<IpAddr>() {
        Ok(client) => Ok(Exhaust::Client(client.to_canonical())),
        Err(_) => {
            let hint = ending(nearest(text, ["all"]));
            let detail = format!("`exhaust` is a client address or `all`, not `{text}`{hint}");
            Err(Problem::invalid_value(detail))
        }
    }
}

/// Body of `PUT /delivery_policy`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SetDeliveryPolicy {
    paused: Option<bool>,
    delay_seconds: Option<u64>,
    reorder_seconds: Option<u64>,
    duplicates: Option<u32>,
    #[serde(default, deserialize_with = "present")]
    event: Option<Option<String>>,
}

impl SetDeliveryPolicy {
    pub(super) fn ask(self) -> Ask {
        let Self { paused, delay_seconds, reorder_seconds, duplicates, event } = self;
        Ask::DeliveryPolicySet(PolicyUpdate {
            is_paused: paused,
            delay_seconds,
            reorder_seconds,
            duplicates,
            event,
        })
    }
}

/// Tells `null` from a member that is absent.
fn present<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(reader).map(Some)
}

/// Body of `PUT /receiver`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanReceiver {
    statuses: Vec<u16>,
}

impl PlanReceiver {
    pub(super) fn chosen(self) -> Result<Vec<StatusCode>, Problem> {
        if self.statuses.len() > STATUSES_MAX {
            return Err(invalid(format!("`statuses` has {STATUSES_MAX} members at most")));
        }
        let status = |code: u16| {
            let status = StatusCode::from_u16(code).ok().filter(|_| (200..=599).contains(&code));
            status.ok_or_else(|| invalid(format!("a status is 200 to 599, not {code}")))
        };
        self.statuses.into_iter().map(status).collect()
    }
}

/// Body of `PUT /addresses`: `text` or `base64`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PutAddress {
    url: String,
    text: Option<String>,
    base64: Option<String>,
    content_type: Option<String>,
}

impl PutAddress {
    pub(super) fn ask(self) -> Result<Ask, Problem> {
        let Self { url, text, base64, content_type } = self;
        let bytes = match (text, base64) {
            (Some(text), None) => text.into(),
            (None, Some(base64)) => STANDARD
                .decode(base64)
                .map_err(|error| Problem::invalid_value(format!("`base64`: {error}")))?
                .into(),
            _ => return Err(Problem::malformed("give exactly one of `text` and `base64`")),
        };
        Ok(Ask::PutAddress { url, bytes, content_type })
    }
}
