//! The journal of a mock, read from the JSON that the control plane publishes.
//!
//! This folder does not depend on the mock: a journal of another version or process is read in the same way.

use std::net::IpAddr;

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, ProblemType};
use moot_fixtures::journal::{
    DeliveryState, FaultKind, RequestSummary, ResponseSummary, RuleGroup, WireRecord,
    deserialize_fault,
};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A call on another connection may have been sent before a response, if it began at most this long after the
/// response. On a busy machine the mock reads a call late.
pub(super) const IN_FLIGHT_US: u64 = 250_000;
/// The same for another call on the same connection, which the client may have had in a queue.
const QUEUED_US: u64 = 1_000_000;
/// Faults after which a client does not know whether its call was processed.
const LOSING_FAULTS: [FaultKind; 8] = [
    FaultKind::Close,
    FaultKind::Garbage,
    FaultKind::Stall,
    FaultKind::Truncate,
    FaultKind::ResetBefore,
    FaultKind::ResetDuring,
    FaultKind::MalformedJson,
    FaultKind::CommitThenFail,
];

/// The members of a journal entry that the rules need.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalCall {
    /// Its number in the world, from 1.
    pub serial: u64,
    /// The time by the clock of the world.
    pub at: Timestamp,
    /// The address of the client.
    pub client: IpAddr,
    /// Its connection and real time; `None` for a call without a socket.
    #[serde(default)]
    pub wire: Option<WireRecord>,
    /// As sent.
    pub method: String,
    /// As sent, without the query.
    pub path: String,
    /// The part after `?`; secrets are fingerprints.
    #[serde(default)]
    pub query: Option<String>,
    /// The operation; `None` for a path or method without one.
    pub operation: Option<Operation>,
    /// Client id of the application, if the token was valid.
    pub application: Option<String>,
    /// Headers and body.
    #[serde(default)]
    pub request: RequestSummary,
    /// HTTP status of the response.
    pub status: u16,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// The problem and its remedy, in words.
    pub detail: Option<String>,
    /// More about the response.
    pub response: ResponseSummary,
    /// The body of the response; null if it is not JSON, or not kept. Secrets are fingerprints.
    #[serde(default, deserialize_with = "json_text")]
    pub answer: Value,
    /// The group of rules that refused it; `None` if it was served.
    #[serde(rename = "decision", deserialize_with = "refusing_group")]
    pub refused_by: Option<RuleGroup>,
    /// The kinds of an armed fault. The client may have received another response than this one.
    #[serde(default, rename = "fault", deserialize_with = "deserialize_fault")]
    pub faults: Vec<FaultKind>,
    /// The ids of the deliveries that it queued.
    #[serde(default)]
    pub deliveries: Vec<u64>,
    /// The process of the client: the serial of its first call.
    #[serde(skip)]
    pub(crate) process: u64,
    /// Whether the client may have calls at the same time.
    #[serde(skip)]
    pub(super) is_of_parallel_client: bool,
}

/// A delivery to a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalDelivery {
    /// Its number in the world.
    pub id: u64,
    /// The event.
    pub event: String,
    /// Its state when the journal was read.
    pub state: DeliveryState,
    /// The attempts so far.
    pub attempts: Vec<JournalAttempt>,
    /// Whether the mock sent it on purpose without the credential of its webhook, or with a wrong one.
    #[serde(default, rename = "forged")]
    pub is_forged: bool,
}

/// An attempt of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalAttempt {
    /// The receiver's status; `None` if there was no response.
    #[serde(default)]
    pub status: Option<u16>,
    /// Real time until the response.
    #[serde(default)]
    pub milliseconds: Option<u64>,
}

/// How often a route of the control plane was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ControlUse {
    /// The method.
    pub method: String,
    /// The route below `/__admin`.
    pub path: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls that were refused, because the route is not offered to a client.
    pub refused: u64,
}

impl ControlUse {
    /// As text: `POST /clock ×3, 3 refused`.
    pub fn shown(&self) -> String {
        let Self { method, path, calls, refused } = self;
        let refused = match refused {
            0 => String::new(),
            refused => format!(", {refused} refused"),
        };
        format!("{method} {path} ×{calls}{refused}")
    }
}

impl JournalCall {
    /// The number of its connection.
    pub(super) fn connection(&self) -> Option<u64> {
        Some(self.wire?.connection)
    }

    /// Whether this operation succeeded.
    pub(crate) fn did(&self, operation: Operation) -> bool {
        self.operation == Some(operation) && self.status < 300
    }

    /// The operation, or method and path without one.
    pub(super) fn name(&self) -> String {
        match self.operation {
            Some(operation) => operation.as_str().to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }

    /// The client, identified by its address and program.
    pub(super) fn caller(&self) -> (IpAddr, Option<&str>) {
        (self.client, self.request.user_agent.as_deref())
    }

    /// The client with the token that it sent.
    pub(super) fn token(&self) -> ((IpAddr, Option<&str>), Option<&str>) {
        (self.caller(), self.request.authorization.as_deref())
    }

    /// The content of the call without its credential. A call with the same intent is a repetition.
    pub(super) fn intent(&self) -> impl Ord {
        let parts = self.request.parts.iter();
        let parts: Vec<_> = parts.map(|part| (&part.name, &part.text, &part.file_name)).collect();
        (&self.method, &self.path, &self.query, &self.request.text, parts)
    }

    /// Whether the journal has its body, or it has none. The service may refuse a body of a wrong media type unread.
    pub(super) fn has_known_body(&self) -> bool {
        let request = &self.request;
        request.content_type.is_none() || request.text.is_some() || !request.parts.is_empty()
    }

    /// Whether the client may have sent it, or have it queued, before it read the response to `earlier`. On the same
    /// connection only a call with another intent: the connection pool of a client sends a waiting call as soon as a
    /// response is complete. On another connection only if the client may have calls at the same time. True if the times
    /// are unknown.
    pub(super) fn was_in_flight(&self, earlier: &Self) -> bool {
        let (Some(wire), Some(earlier_wire)) = (self.wire, earlier.wire) else { return true };
        let is_of_other_connection = wire.connection != earlier_wire.connection;
        if is_of_other_connection && !self.is_of_parallel_client {
            return false;
        }
        let Some(ended_us) = earlier_wire.ended_us else { return true };
        let pause_us = wire.began_us.saturating_sub(ended_us);
        match is_of_other_connection {
            true => pause_us < IN_FLIGHT_US,
            false => pause_us < QUEUED_US && self.intent() != earlier.intent(),
        }
    }

    /// Real time from the end of `earlier` to the beginning of this call.
    pub(super) fn pause_us(&self, earlier: &Self) -> Option<u64> {
        Some(self.wire?.began_us.saturating_sub(earlier.wire?.ended_us?))
    }

    /// Whether the client does not know if the call was processed.
    pub(super) fn is_lost(&self) -> bool {
        self.status >= 500
            || self.faults.iter().any(|fault| LOSING_FAULTS.contains(fault))
            || self.wire.is_some_and(|wire| wire.client_left)
    }

    /// Whether a rule of the service refused it. False for a fault, and for a refusal that the client expected.
    pub(super) fn is_refused(&self) -> bool {
        (400..500).contains(&self.status) && self.faults.is_empty() && !self.request.expects_refusal
    }

    /// The problem type of its response; `None` if the contract does not have it.
    pub(super) fn problem_type(&self) -> Option<ProblemType> {
        self.problem.as_deref()?.parse().ok()
    }

    /// Whether its token was expired or revoked.
    pub(super) fn has_dead_token(&self) -> bool {
        matches!(self.problem_type(), Some(ProblemType::TokenExpired | ProblemType::TokenRevoked))
    }

    /// Whether it creates an object.
    pub(super) fn is_creation(&self) -> bool {
        matches!(
            self.operation,
            Some(
                Operation::CreateLegalRequest
                    | Operation::CreateRepositoryDocument
                    | Operation::CreateWebhook
            )
        )
    }

    /// Whether it read a page after the last one of a list.
    pub(super) fn is_past_end(&self) -> bool {
        let pages = self.response.page.zip(self.response.pages);
        pages.is_some_and(|(page, pages)| page > pages.max(1))
    }

    /// The rows of a list; empty for other responses.
    pub(super) fn rows(&self) -> &[Value] {
        self.answer["data"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The `{id}` of its path.
    pub(super) fn id(&self) -> Option<&str> {
        let place = self.operation?.path().split('/').position(|segment| segment == "{id}")?;
        self.path.split('/').nth(place)
    }

    /// The decoded parameters of its query.
    pub(super) fn parameters(&self) -> Vec<(String, String)> {
        pairs(self.query.as_deref().unwrap_or_default())
    }

    /// The list that it reads, with its filters; without the page.
    pub fn list(&self) -> Option<(Operation, Vec<(String, String)>)> {
        let operation = self.operation.filter(|operation| operation.is_list())?;
        let filters = self.parameters().into_iter().filter(|(name, _)| name != "page");
        Some((operation, filters.collect()))
    }

    /// The page in its query; `None` without a valid one.
    pub fn asked_page(&self) -> Option<u64> {
        let page = self.parameters().into_iter().find(|(name, _)| name == "page");
        page.and_then(|(_, page)| page.parse().ok())
    }

    /// The decoded fields of a URL-encoded form; empty for other bodies.
    pub(super) fn form(&self) -> Vec<(String, String)> {
        let is_form = self.request.content_type.as_deref().is_some_and(is_form);
        pairs(self.request.text.as_deref().filter(|_| is_form).unwrap_or_default())
    }

    /// The text of a field of a multipart form.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.request.parts.iter().find(|part| part.name == name)?.text.as_deref()
    }
}

/// Whether this is the content type of a URL-encoded form.
pub(super) fn is_form(content_type: &str) -> bool {
    content_type.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
}

fn pairs(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// The group of rules with this name; `None` for `served`.
fn refusing_group<'de, D: Deserializer<'de>>(from: D) -> Result<Option<RuleGroup>, D::Error> {
    match String::deserialize(from)?.as_str() {
        "served" => Ok(None),
        rule_group => rule_group
            .parse()
            .map(Some)
            .map_err(|_| D::Error::custom(format!("unknown group of rules `{rule_group}`"))),
    }
}

/// The JSON in a string; null if it has none.
fn json_text<'de, D: Deserializer<'de>>(from: D) -> Result<Value, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// The members of a list; none if it is absent.
pub fn rows<'v>(value: &'v Value, list: &str) -> impl DoubleEndedIterator<Item = &'v Value> {
    value[list].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// Reads the calls of the control plane.
///
/// # Errors
/// The value is not a set of journals.
pub fn control_uses(journals: &Value) -> Result<Vec<ControlUse>, serde_json::Error> {
    match &journals["control"] {
        Value::Null => Ok(Vec::new()),
        uses => Vec::deserialize(uses),
    }
}
