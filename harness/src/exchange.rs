//! What comes of talking to a target, as data: one request and its answer, what the target is, what it answered to
//! open questions, what was left on it.
//!
//! The request is masked when the exchange is made. Checks compare the true values of the answer, so
//! whatever prints or writes an answer masks it.

pub mod escape;
pub mod masks;
mod observed_answer;
mod residue;
mod target_description;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exchange::masks::Masks;

pub use observed_answer::{AnswerSight, ObservedAnswer, gathered};
pub use residue::Residue;
pub use target_description::{TargetClass, TargetDescription};

/// A request as it was sent.
#[derive(Debug, Clone)]
pub struct SentRequest {
    /// Upper case.
    pub method: String,
    /// The whole address, masked.
    pub url: String,
    /// The path with its query, as in the scenario, below the base address.
    pub path: String,
    /// The operation of the contract that method and path belong to.
    pub operation: Option<Operation>,
    /// In the order sent, names lower case, secret values masked.
    pub headers: Vec<(String, String)>,
    /// What is shown of the body: text as sent with secrets masked; a part's file as a note.
    pub body_shown: String,
    /// Bytes of the body.
    pub body_length: u64,
    /// A command line that sends the same, secrets as shell variables.
    pub curl: String,
}

/// An answer as it came.
#[derive(Clone)]
pub struct ReceivedResponse {
    /// HTTP status.
    pub status: u16,
    /// In the order received, names lower case; true values.
    pub headers: Vec<(String, String)>,
    /// The bytes, cut at the limit of the target.
    pub body: Bytes,
    /// The body as JSON, where it is JSON.
    pub json: Option<Arc<Value>>,
    /// Whether the body was cut, because it has too many bytes or JSON values.
    pub is_cut: bool,
    /// The socket that sent it; `None` in process.
    pub peer: Option<SocketAddr>,
}

/// Why there is no answer: trouble of the network or of the target. It is never a violation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// No connection.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// TLS failed.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// A named deadline passed.
    #[error("no answer in time: {0}")]
    Deadline(String),
    /// The head of an answer came, and less of its body than announced.
    #[error("the answer was cut short after {0}")]
    CutShort(String),
    /// The connection broke, or what came is not HTTP.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The client did not send it: no consent, or a budget is spent.
    #[error("not sent: {0}")]
    Withheld(String),
    /// The operator of the target did not act.
    #[error("{0}")]
    Operator(String),
}

/// A request and its outcome.
#[derive(Clone)]
pub struct Exchange {
    /// Number within the run, from 1.
    pub number: u64,
    /// What was sent.
    pub request: SentRequest,
    /// What came.
    pub outcome: Result<ReceivedResponse, Trouble>,
    /// Seconds since 1970 by our clock when it was sent.
    pub sent_at_seconds: i64,
    /// From sending to the last byte.
    pub duration: Duration,
    /// Masks for showing the response.
    pub masks: Arc<Masks>,
}

impl Trouble {
    /// A named deadline passed. `what` did not happen within `limit`.
    pub fn deadline(what: &str, limit: Duration, name: &str) -> Self {
        Self::Deadline(format!("{what} within {} s (deadline `{name}`)", limit.as_secs()))
    }

    /// The body ended after `received` bytes. `announced` is its `Content-Length`, if it had one.
    pub(crate) fn cut_short(received: u64, announced: Option<u64>) -> Self {
        Self::CutShort(match announced {
            Some(announced) => format!("{received} of {announced} bytes"),
            None => format!("{received} bytes, before the end of its body"),
        })
    }

    /// The details alone, without the kind of trouble.
    pub fn details(&self) -> &str {
        match self {
            Self::Unreachable(text)
            | Self::Tls(text)
            | Self::Deadline(text)
            | Self::CutShort(text)
            | Self::Broken(text)
            | Self::Withheld(text)
            | Self::Operator(text) => text,
        }
    }

    /// The same trouble with its details rewritten.
    pub(crate) fn map_details(self, rewrite: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Unreachable(text) => Self::Unreachable(rewrite(&text)),
            Self::Tls(text) => Self::Tls(rewrite(&text)),
            Self::Deadline(text) => Self::Deadline(rewrite(&text)),
            Self::CutShort(text) => Self::CutShort(rewrite(&text)),
            Self::Broken(text) => Self::Broken(rewrite(&text)),
            Self::Withheld(text) => Self::Withheld(rewrite(&text)),
            Self::Operator(text) => Self::Operator(rewrite(&text)),
        }
    }
}

impl ReceivedResponse {
    /// The first header of this name (lower case), true value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange").field("number", &self.number).finish_non_exhaustive()
    }
}
