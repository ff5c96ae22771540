//! One request and what came of it, as inert data. Secrets are masked when an exchange is made.
//!
//! A check may compare a true value; whatever prints or serialises an exchange gets the mask.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::masks::Masks;

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
    /// Whether the body was longer than what is kept, in bytes or in JSON values.
    pub is_cut: bool,
}

/// Why there is no answer: trouble of the network or of the target, never a violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// No connection.
    Unreachable(String),
    /// TLS failed.
    Tls(String),
    /// A named deadline passed.
    Deadline(String),
    /// The connection broke, or what came is no HTTP.
    Broken(String),
    /// The client refused to send it: no consent, or a budget is spent.
    Withheld(String),
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
    /// Where it was sent to, where that is a socket.
    pub peer: Option<SocketAddr>,
    /// Masks for showing the response.
    pub masks: Arc<Masks>,
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
