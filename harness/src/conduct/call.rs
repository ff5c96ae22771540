//! One call of a client, as the journal of a mock keeps it.

use std::net::IpAddr;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use serde::Deserialize;
use serde_json::Value;

/// What was called in one world. Shape: a member of `worlds` of `moot_mock`'s journals.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct World {
    /// Id of the sandbox; `None` is the main world.
    pub sandbox: Option<String>,
    /// Calls that the journal, which is bounded and can be emptied, has no more.
    pub forgotten: u64,
    /// The calls, the oldest first.
    #[serde(rename = "exchanges")]
    pub calls: Vec<Call>,
}

/// A call and what it was answered. Shape: a member of `exchanges` of the control plane; further
/// members are not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Call {
    /// Its number in the world, from 1.
    pub serial: u64,
    /// When, by the clock of the world.
    pub at: Timestamp,
    /// Who called.
    pub client: IpAddr,
    /// As sent.
    pub method: String,
    /// As sent, without query.
    pub path: String,
    /// The route; `None` where there is none.
    pub operation: Option<Operation>,
    /// Client id of the application whose valid token it carried.
    pub application: Option<String>,
    /// HTTP status of the answer.
    pub status: u16,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// What was wrong and what would have worked.
    pub detail: Option<String>,
    /// Of what it was answered with.
    pub response: Answered,
    /// `served`, or the rule that refused it: `limit`, `route`, `token`, `scope`, ….
    pub decision: String,
    /// The kind of the fault that struck it; then the client may have seen something else.
    pub fault: Option<String>,
}

/// What a call was answered with, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answered {
    /// Of a list: the page that was answered.
    pub page: Option<u64>,
    /// Of a list: how many pages there were.
    pub pages: Option<u64>,
    /// `Retry-After`, where it was told.
    pub retry_after_seconds: Option<u64>,
}

impl Call {
    /// Whether this operation was done.
    pub(super) fn did(&self, operation: Operation) -> bool {
        self.operation == Some(operation) && self.status < 300
    }

    /// The operation, or method and path where there is none.
    pub(super) fn name(&self) -> String {
        match self.operation {
            Some(operation) => operation.as_str().to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }
}

/// The calls of each world.
///
/// # Errors
/// Where these are no journals.
pub fn read(journals: &Value) -> Result<Vec<World>, serde_json::Error> {
    Vec::deserialize(&journals["worlds"])
}
