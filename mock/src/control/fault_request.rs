//! Reads a fault from the members of a request.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use http::header::HeaderValue;
use http::{Method, StatusCode};
use moot_fixtures::contract::Operation;
use moot_fixtures::journal::FaultKind;
use moot_fixtures::nearest::{ending, nearest};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use strum::VariantNames;

use super::filter::{operation, path_pattern};
use crate::value::limits::FAULT_MILLISECONDS_MAX;
use crate::world::fault::{FailedStatus, Fault, FaultEffect};

pub(super) fn fault<'de, D: Deserializer<'de>>(reader: D) -> Result<Fault, D::Error> {
    FaultRequest::deserialize(reader)?.fault().map_err(D::Error::custom)
}

/// The members of a fault.
#[derive(Deserialize, JsonSchema)]
pub(super) struct FaultRequest {
    /// The only effect.
    #[serde(flatten)]
    effect: EffectRequest,
    /// several effects on one call, in their order, each with `kind` and its members
    effects: Option<Vec<EffectRequest>>,
    /// effects on consecutive calls: for each call one effect, a list of effects, or null for none
    #[serde(default)]
    #[schemars(schema_with = "sequence_schema")]
    sequence: Option<Vec<Value>>,
    /// calls of this operation, such as `create_legal_request`
    #[serde(default, deserialize_with = "operation")]
    #[schemars(with = "Option<String>")]
    operation: Option<Operation>,
    /// calls with this method
    method: Option<String>,
    /// calls with this path below the base address, also unknown paths; `*` stands for any characters
    #[serde(default, deserialize_with = "path_pattern")]
    path: Option<String>,
    /// calls with a token of this client id
    application: Option<String>,
    /// calls from this address
    client: Option<String>,
    /// the number of the first affected call among the matching ones; 1 if absent
    #[schemars(range(min = 1))]
    nth: Option<u64>,
    /// the number of affected calls, or of repetitions of the sequence; 1 if absent
    #[schemars(range(min = 1))]
    times: Option<u64>,
}

/// The members of an effect.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct EffectRequest {
    /// `status`, `redirect`, `delay`, `slow_body`, `stall`, `close`, `garbage`, `truncate`, `reset_before`, `reset_during`, `malformed_json`, `wrong_content_type`, `html_page`, `missing_member`, `extra_member` or `commit_then_fail`
    kind: Option<String>,
    /// for `status` and `commit_then_fail`: 400 to 599; for `redirect`: 300 to 399, 302 if absent
    status: Option<u64>,
    /// with `status`: `type` of the problem
    problem: Option<String>,
    /// with `status`: the header `Retry-After`
    retry_after_seconds: Option<u64>,
    /// with `retry_after_seconds`: `true` sends it as a date
    retry_after_date: Option<bool>,
    /// for `redirect`: the header `Location`
    location: Option<String>,
    /// for `delay`, `slow_body` and `stall`: real time
    milliseconds: Option<u64>,
    /// for `wrong_content_type`; `text/html` if absent
    content_type: Option<String>,
    /// for `missing_member` and `extra_member`: its JSON pointer
    member: Option<String>,
    /// for `extra_member`: its value; `true` if absent
    value: Option<Value>,
}

impl FaultRequest {
    fn fault(self) -> Result<Fault, String> {
        let Self { effect, effects, sequence, nth, times, .. } = self;
        if let Some(name) = effect.given().filter(|_| effect.kind.is_none()) {
            return Err(format!("`{name}` belongs beside the `kind` of an effect"));
        }
        let sequence = match (effects, sequence) {
            (None, None) => vec![vec![effect.effect()?]],
            (Some(effects), None) => vec![read_effects(effects)?],
            (None, Some(steps)) => {
                steps.into_iter().map(effects_of_step).collect::<Result<_, _>>()?
            }
            (Some(_), Some(_)) => {
                return Err("give exactly one of `kind`, `effects` and `sequence`".to_owned());
            }
        };
        Ok(Fault {
            operation: self.operation,
            method: self.method.map(|text| read_method(&text)).transpose()?,
            path: self.path,
            application: self.application,
            client: self.client.map(|text| read_client(&text)).transpose()?,
            nth: nth.unwrap_or(1),
            times: times.unwrap_or(1),
            sequence,
        })
    }
}

/// The effects on one call of a sequence.
fn effects_of_step(step: Value) -> Result<Vec<FaultEffect>, String> {
    let effects = match step {
        Value::Null => Vec::new(),
        Value::Array(effects) => effects,
        effect => vec![effect],
    };
    let effects = effects.into_iter().map(|effect| {
        serde_json::from_value(effect).map_err(|error| format!("an effect: {error}"))
    });
    read_effects(effects.collect::<Result<_, _>>()?)
}

fn read_effects(effects: Vec<EffectRequest>) -> Result<Vec<FaultEffect>, String> {
    effects.into_iter().map(EffectRequest::effect).collect()
}

impl EffectRequest {
    fn effect(mut self) -> Result<FaultEffect, String> {
        let effect = self.take_effect()?;
        match self.given() {
            // A member that is left belongs to another kind.
            Some(name) => {
                let kind: &str = effect.kind().into();
                Err(format!("`{name}` has no meaning for this fault of kind `{kind}`"))
            }
            None => Ok(effect),
        }
    }

    /// Takes the kind and its members out of the request.
    fn take_effect(&mut self) -> Result<FaultEffect, String> {
        let name = self.kind.take().ok_or_else(|| "an effect needs `kind`".to_owned())?;
        let kind = name.parse().map_err(|_| {
            let known = FaultKind::VARIANTS.join(", ");
            let hint = ending(nearest(&name, FaultKind::VARIANTS.iter().copied()));
            format!("there is no kind `{name}`, only {known}{hint}")
        })?;
        Ok(match kind {
            FaultKind::Status => {
                FaultEffect::Status(self.take_status()?.ok_or_else(|| missing("status"))?)
            }
            FaultKind::Redirect => {
                let code = self.status.take().unwrap_or(302);
                let text = self.location.take().ok_or_else(|| missing("location"))?;
                let location = HeaderValue::from_str(&text)
                    .map_err(|_| format!("`location` cannot be `{text}`"))?;
                FaultEffect::Redirect { status: status_code(code, 300..=399)?, location }
            }
            FaultKind::Close => FaultEffect::Close,
            FaultKind::Garbage => FaultEffect::Garbage,
            FaultKind::Stall => FaultEffect::Stall { milliseconds: self.take_milliseconds()? },
            FaultKind::Delay => FaultEffect::Delay { milliseconds: self.take_milliseconds()? },
            FaultKind::SlowBody => {
                FaultEffect::SlowBody { milliseconds: self.take_milliseconds()? }
            }
            FaultKind::Truncate => FaultEffect::Truncate,
            FaultKind::ResetBefore => FaultEffect::ResetBefore,
            FaultKind::ResetDuring => FaultEffect::ResetDuring,
            FaultKind::MalformedJson => FaultEffect::MalformedJson,
            FaultKind::HtmlPage => FaultEffect::HtmlPage,
            FaultKind::WrongContentType => {
                let text = self.content_type.take().unwrap_or_else(|| "text/html".to_owned());
                let content_type = HeaderValue::from_str(&text)
                    .map_err(|_| format!("`content_type` cannot be `{text}`"))?;
                FaultEffect::WrongContentType { content_type }
            }
            FaultKind::MissingMember => FaultEffect::MissingMember { pointer: self.take_member()? },
            FaultKind::ExtraMember => FaultEffect::ExtraMember {
                pointer: self.take_member()?,
                value: self.value.take().unwrap_or(Value::Bool(true)),
            },
            FaultKind::CommitThenFail => FaultEffect::CommitThenFail(self.take_status()?),
        })
    }

    fn take_status(&mut self) -> Result<Option<FailedStatus>, String> {
        let Some(code) = self.status.take() else { return Ok(None) };
        let status = status_code(code, 400..=599)?;
        let of_status = || {
            let reason = status.canonical_reason().unwrap_or("error");
            reason.to_ascii_lowercase().replace([' ', '-'], "_")
        };
        Ok(Some(FailedStatus {
            status,
            problem: self.problem.take().unwrap_or_else(of_status),
            is_retry_after_date: self.retry_after_seconds.is_some()
                && self.retry_after_date.take().unwrap_or_default(),
            retry_after_seconds: self.retry_after_seconds.take(),
        }))
    }

    fn take_milliseconds(&mut self) -> Result<u64, String> {
        let milliseconds = self.milliseconds.take().ok_or_else(|| missing("milliseconds"))?;
        match milliseconds {
            1..=FAULT_MILLISECONDS_MAX => Ok(milliseconds),
            _ => Err(format!("`milliseconds` is 1 to {FAULT_MILLISECONDS_MAX}")),
        }
    }

    fn take_member(&mut self) -> Result<String, String> {
        let pointer = self.member.take().ok_or_else(|| missing("member"))?;
        match pointer.starts_with('/') {
            true => Ok(pointer),
            false => Err(format!("`member` is a JSON pointer such as /data/id, not `{pointer}`")),
        }
    }

    /// The name of the first present member other than `kind`.
    fn given(&self) -> Option<String> {
        let members = json!(self);
        let mut present = members.as_object()?.iter().filter(|(_, value)| !value.is_null());
        present.find(|(name, _)| *name != "kind").map(|(name, _)| name.clone())
    }
}

fn status_code(code: u64, allowed: RangeInclusive<u16>) -> Result<StatusCode, String> {
    let (least, most) = (allowed.start(), allowed.end());
    let status = u16::try_from(code).ok().filter(|code| allowed.contains(code));
    let status = status.and_then(|code| StatusCode::from_u16(code).ok());
    status.ok_or_else(|| format!("`status` is {least} to {most}, not {code}"))
}

fn read_method(text: &str) -> Result<Method, String> {
    text.parse().map_err(|_| format!("`method` is a method such as POST, not `{text}`"))
}

fn read_client(text: &str) -> Result<IpAddr, String> {
    let client = text.parse::<IpAddr>();
    client
        .map(|client| client.to_canonical())
        .map_err(|_| format!("`client` is an address such as 127.0.0.1, not `{text}`"))
}

fn missing(name: &str) -> String {
    format!("a fault of this kind needs `{name}`")
}

fn sequence_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["array", "null"], "items": { "type": ["object", "array", "null"] } })
}
