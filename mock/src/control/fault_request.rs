//! The members that arm a fault.

use std::net::IpAddr;

use http::StatusCode;
use http::header::HeaderValue;
use moot_fixtures::contract::Operation;
use moot_fixtures::nearest::{ending, nearest};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use strum::VariantNames;

use super::filter::operation;
use crate::fault::{FailedStatus, Fault, FaultKind};

/// Reads a fault from its members.
pub(super) fn fault<'de, D: Deserializer<'de>>(reader: D) -> Result<Fault, D::Error> {
    FaultRequest::deserialize(reader)?.fault().map_err(D::Error::custom)
}

/// The members of a fault.
#[derive(Deserialize, JsonSchema)]
pub(super) struct FaultRequest {
    /// `status`, `delay`, `slow_body`, `truncate`, `reset_before`, `reset_during`, `malformed_json`, `wrong_content_type`, `missing_member`, `extra_member` or `commit_then_fail`
    kind: String,
    /// calls of this operation, such as `create_legal_request`
    #[serde(default, deserialize_with = "operation")]
    #[schemars(with = "Option<String>")]
    operation: Option<Operation>,
    /// calls with a token of this client id
    application: Option<String>,
    /// calls from this address
    client: Option<String>,
    /// the first matching call that is struck; 1 if absent
    nth: Option<u64>,
    /// how many calls are struck; 1 if absent
    times: Option<u64>,
    /// of `status` and `commit_then_fail`: 400 to 599
    status: Option<u64>,
    /// with `status`: `type` of the problem
    problem: Option<String>,
    /// with `status`: the header `Retry-After`
    retry_after_seconds: Option<u64>,
    /// of `delay` and `slow_body`: real time
    milliseconds: Option<u64>,
    /// of `wrong_content_type`; `text/html` if absent
    content_type: Option<String>,
    /// of `missing_member` and `extra_member`: its JSON pointer
    member: Option<String>,
    /// of `extra_member`: its value; `true` if absent
    value: Option<Value>,
}

impl FaultRequest {
    fn fault(mut self) -> Result<Fault, String> {
        let kind = self.take_kind()?;
        self.check_rest(&kind)?;
        let Self { operation, application, client, nth, times, .. } = self;
        Ok(Fault {
            operation,
            application,
            client: client.map(|text| read_client(&text)).transpose()?,
            nth: nth.unwrap_or(1),
            times: times.unwrap_or(1),
            kind,
        })
    }

    /// Takes what the kind needs out of the members.
    fn take_kind(&mut self) -> Result<FaultKind, String> {
        Ok(match self.kind.as_str() {
            "status" => FaultKind::Status(self.take_status()?.ok_or_else(|| missing("status"))?),
            "delay" => FaultKind::Delay { milliseconds: self.take_milliseconds()? },
            "slow_body" => FaultKind::SlowBody { milliseconds: self.take_milliseconds()? },
            "truncate" => FaultKind::Truncate,
            "reset_before" => FaultKind::ResetBefore,
            "reset_during" => FaultKind::ResetDuring,
            "malformed_json" => FaultKind::MalformedJson,
            "wrong_content_type" => {
                let text = self.content_type.take().unwrap_or_else(|| "text/html".to_owned());
                let content_type = HeaderValue::from_str(&text)
                    .map_err(|_| format!("`content_type` can't be `{text}`"))?;
                FaultKind::WrongContentType { content_type }
            }
            "missing_member" => FaultKind::MissingMember { pointer: self.take_member()? },
            "extra_member" => FaultKind::ExtraMember {
                pointer: self.take_member()?,
                value: self.value.take().unwrap_or(Value::Bool(true)),
            },
            "commit_then_fail" => FaultKind::CommitThenFail(self.take_status()?),
            unknown => {
                let known = FaultKind::VARIANTS.join(", ");
                let hint = ending(nearest(unknown, FaultKind::VARIANTS.iter().copied()));
                return Err(format!("there is no kind `{unknown}`, only {known}{hint}"));
            }
        })
    }

    fn take_status(&mut self) -> Result<Option<FailedStatus>, String> {
        let Some(code) = self.status.take() else { return Ok(None) };
        let status = u16::try_from(code).ok().and_then(|code| StatusCode::from_u16(code).ok());
        let status = status.ok_or_else(|| format!("`status` is 400 to 599, not {code}"))?;
        let of_status = || {
            let reason = status.canonical_reason().unwrap_or("error");
            reason.to_ascii_lowercase().replace([' ', '-'], "_")
        };
        Ok(Some(FailedStatus {
            status,
            problem: self.problem.take().unwrap_or_else(of_status),
            retry_after_seconds: self.retry_after_seconds.take(),
        }))
    }

    fn take_milliseconds(&mut self) -> Result<u64, String> {
        self.milliseconds.take().ok_or_else(|| missing("milliseconds"))
    }

    fn take_member(&mut self) -> Result<String, String> {
        self.member.take().ok_or_else(|| missing("member"))
    }

    /// What nobody took was meant for another kind.
    fn check_rest(&self, kind: &FaultKind) -> Result<(), String> {
        let rest = [
            ("status", self.status.is_some()),
            ("problem", self.problem.is_some()),
            ("retry_after_seconds", self.retry_after_seconds.is_some()),
            ("milliseconds", self.milliseconds.is_some()),
            ("content_type", self.content_type.is_some()),
            ("member", self.member.is_some()),
            ("value", self.value.is_some()),
        ];
        match rest.into_iter().find(|(_, is_there)| *is_there) {
            Some((name, _)) => {
                let kind: &str = kind.into();
                Err(format!("`{name}` says nothing about a fault of kind `{kind}` as it is"))
            }
            None => Ok(()),
        }
    }
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
