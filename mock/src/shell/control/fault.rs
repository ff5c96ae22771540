//! The JSON body that arms a fault.

use std::net::IpAddr;

use http::StatusCode;
use http::header::HeaderValue;
use moot_fixtures::contract::Operation;
use serde::Deserialize;
use serde_json::Value;

use crate::control::Ask;
use crate::fault::{FailedStatus, Fault, FaultKind};
use crate::shell::answer::Problem;
use moot_fixtures::nearest::{ending, nearest};

/// Body of `POST /faults`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmFault {
    kind: String,
    operation: Option<String>,
    application: Option<String>,
    client: Option<String>,
    nth: Option<u64>,
    times: Option<u64>,
    status: Option<u16>,
    problem: Option<String>,
    retry_after_seconds: Option<u64>,
    milliseconds: Option<u64>,
    content_type: Option<String>,
    member: Option<String>,
    value: Option<Value>,
}

impl ArmFault {
    /// # Errors
    /// 422: a kind or operation that does not exist, a member that the kind lacks or has no use for.
    pub(super) fn ask(mut self) -> Result<Ask, Problem> {
        let kind = self.take_kind()?;
        self.check_rest(&kind)?;
        let Self { operation, application, client, nth, times, .. } = self;
        Ok(Ask::ArmFault(Fault {
            operation: operation.map(|text| read_operation(&text)).transpose()?,
            application,
            client: client.map(|text| read_client(&text)).transpose()?,
            nth: nth.unwrap_or(1),
            times: times.unwrap_or(1),
            kind,
        }))
    }

    /// Takes what the kind needs out of the members.
    fn take_kind(&mut self) -> Result<FaultKind, Problem> {
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
                    .map_err(|_| invalid(format!("`content_type` can't be `{text}`")))?;
                FaultKind::WrongContentType { content_type }
            }
            "missing_member" => FaultKind::MissingMember { pointer: self.take_member()? },
            "extra_member" => FaultKind::ExtraMember {
                pointer: self.take_member()?,
                value: self.value.take().unwrap_or(Value::Bool(true)),
            },
            "commit_then_fail" => FaultKind::CommitThenFail(self.take_status()?),
            unknown => {
                let known = FaultKind::NAMES.join(", ");
                let hint = ending(nearest(unknown, FaultKind::NAMES));
                return Err(invalid(format!("there is no kind `{unknown}`, only {known}{hint}")));
            }
        })
    }

    fn take_status(&mut self) -> Result<Option<FailedStatus>, Problem> {
        let Some(code) = self.status.take() else { return Ok(None) };
        let status = StatusCode::from_u16(code)
            .map_err(|_| invalid(format!("`status` is 400 to 599, not {code}")))?;
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

    fn take_milliseconds(&mut self) -> Result<u64, Problem> {
        self.milliseconds.take().ok_or_else(|| missing("milliseconds"))
    }

    fn take_member(&mut self) -> Result<String, Problem> {
        self.member.take().ok_or_else(|| missing("member"))
    }

    /// What nobody took was meant for another kind.
    fn check_rest(&self, kind: &FaultKind) -> Result<(), Problem> {
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
                let kind = kind.as_str();
                Err(invalid(format!(
                    "`{name}` says nothing about a fault of kind `{kind}` as it is"
                )))
            }
            None => Ok(()),
        }
    }
}

fn read_client(text: &str) -> Result<IpAddr, Problem> {
    let client = text.parse::<IpAddr>();
    client
        .map(|client| client.to_canonical())
        .map_err(|_| invalid(format!("`client` is an address such as 127.0.0.1, not `{text}`")))
}

/// An operation by its name.
///
/// # Errors
/// 422, with the nearest name.
pub(super) fn read_operation(text: &str) -> Result<Operation, Problem> {
    Operation::from_text(text).ok_or_else(|| {
        let hint = ending(nearest(text, Operation::ALL.map(Operation::as_str)));
        invalid(format!("there is no operation `{text}`{hint}"))
    })
}

fn missing(name: &str) -> Problem {
    invalid(format!("a fault of this kind needs `{name}`"))
}

fn invalid(detail: String) -> Problem {
    Problem::invalid_value(detail)
}
