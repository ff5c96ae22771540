//! The data of a conversation with a target: exchanges, the description of the target, its answers to open
//! questions, and the objects that a run left there.
//!
//! The request is masked when the exchange is made. Checks compare the true values of the response, so the code
//! that prints or writes a response masks it.

pub mod escape;
pub mod masks;
mod observed_answer;
#[cfg(test)]
pub(crate) mod samples;
mod target_description;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::masks::{Masks, Secrets};
use crate::scenario::ScenarioName;

pub(crate) use observed_answer::without_query;
pub use observed_answer::{AnswerSight, ObservedAnswer, by_question};
pub use target_description::{TargetClass, TargetDescription};

/// A request as it was sent.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// Upper case.
    pub method: String,
    /// Absolute, masked.
    pub url: String,
    /// The path below the base address, with its query, as in the scenario.
    pub path: String,
    /// The operation with this method and path.
    pub operation: Option<Operation>,
    /// In the order sent. Names are lower case, secret values masked.
    pub headers: Vec<(String, String)>,
    /// The body as text, with secrets masked. A file of a part is a note.
    pub body_shown: String,
    /// In bytes.
    pub body_length: u64,
    /// A command line that sends the same request. Secrets are shell variables.
    pub curl: String,
}

/// A response as it was received.
#[derive(Clone)]
pub struct ReceivedResponse {
    /// HTTP status.
    pub status: u16,
    /// In the order received. Names are lower case, values not masked.
    pub headers: Vec<(String, String)>,
    /// Not masked. At most `BODY_KEPT_BYTES_MAX` bytes.
    pub body: Bytes,
    /// The body, if it is JSON and was not cut.
    pub json: Option<Arc<Value>>,
    /// Whether the body is not judged, because it has too many bytes and was cut, or too many JSON values.
    pub is_cut: bool,
    /// SHA-256 of the whole body in hexadecimal digits, if `body` is only its beginning.
    pub digest: Option<String>,
    /// The address of the server. `None` in process.
    pub peer: Option<SocketAddr>,
}

/// The reason why there is no response: trouble of the network or of the target. It is never a violation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// No connection.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// TLS failed.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// A named timeout passed.
    #[error("no response in time: {0}")]
    #[serde(rename = "deadline")]
    Timeout(String),
    /// The connection ended before the end of the body.
    #[error("the response was cut short after {0}")]
    CutShort(String),
    /// The connection broke, or the response is not HTTP.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The client did not send the request. For example, consent is missing, or a budget is spent.
    #[error("not sent: {0}")]
    Withheld(String),
    /// The operator of the target did not act.
    #[error("{0}")]
    Operator(String),
}

/// A request and its outcome.
#[derive(Clone)]
pub struct Exchange {
    /// Number within the run, from 1. 0 if it was not sent.
    pub number: u64,
    /// The request.
    pub request: SentRequest,
    /// The response, or why there is none.
    pub outcome: Result<ReceivedResponse, Trouble>,
    /// When it was sent, in seconds since 1970 by our clock.
    pub sent_at_seconds: i64,
    /// Time from sending to the last byte of the response.
    pub duration: Duration,
    /// Masks for showing the response.
    pub masks: Arc<Masks>,
}

/// An object that a run left on the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residue {
    /// `legal_request`, `repository_document`, `webhook`.
    pub kind: String,
    /// Its id, if the response had it.
    pub id: Option<String>,
    /// The tag of the run, which is part of its name.
    pub tag: String,
    /// The scenario that created it.
    pub scenario: ScenarioName,
}

impl Trouble {
    /// The timeout `name` passed: `what` did not happen within `limit`.
    pub fn timeout(what: &str, limit: Duration, name: &str) -> Self {
        Self::Timeout(format!("{what} within {} s (timeout `{name}`)", limit.as_secs()))
    }

    /// The body ended after `received` bytes. `announced` is its `Content-Length`, if it has one.
    pub(crate) fn cut_short(received: u64, announced: Option<u64>) -> Self {
        Self::CutShort(match announced {
            Some(announced) => format!("{received} of {announced} bytes"),
            None => format!("{received} bytes, before the end of its body"),
        })
    }

    /// The details without the kind of trouble.
    pub fn details(&self) -> &str {
        match self {
            Self::Unreachable(text)
            | Self::Tls(text)
            | Self::Timeout(text)
            | Self::CutShort(text)
            | Self::Broken(text)
            | Self::Withheld(text)
            | Self::Operator(text) => text,
        }
    }

    /// The same kind of trouble without secrets in its details.
    pub(crate) fn masked(&self, secrets: &Secrets) -> Self {
        let details = secrets.mask(self.details());
        match self {
            Self::Unreachable(_) => Self::Unreachable(details),
            Self::Tls(_) => Self::Tls(details),
            Self::Timeout(_) => Self::Timeout(details),
            Self::CutShort(_) => Self::CutShort(details),
            Self::Broken(_) => Self::Broken(details),
            Self::Withheld(_) => Self::Withheld(details),
            Self::Operator(_) => Self::Operator(details),
        }
    }
}

impl ReceivedResponse {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a gateway may be the sender: it sends 502 or 504 if it gets no answer from the service.
    pub fn may_be_of_gateway(&self) -> bool {
        matches!(self.status, 502 | 504)
    }

    /// The value of the first header with this name (lower case). It is not masked.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The identifier of the created object (§4.5, §4.9). The response to a registration of a webhook is open (§4.14),
    /// so it may be the bare webhook.
    pub(crate) fn created_id(&self) -> Option<&str> {
        let json = self.json.as_ref()?;
        json.pointer("/data/id").or_else(|| json.get("id"))?.as_str()
    }

    /// The text of a member of its JSON body. It is not masked.
    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.json.as_ref()?.get(member)?.as_str()
    }
}

/// An HTTP date (RFC 9110 §5.6.7) in seconds since 1970. There are no earlier ones.
pub(crate) fn date_seconds(text: &str) -> Option<i64> {
    let date = httpdate::parse_http_date(text).ok()?;
    let since = date.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// A text unchanged, any other value as JSON.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange").field("number", &self.number).finish_non_exhaustive()
    }
}
