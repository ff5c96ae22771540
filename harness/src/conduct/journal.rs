//! The journal of a mock as JSON.
//!
//! The control plane publishes this JSON, and the account reads it as any other client does. So this folder
//! does not depend on the mock.

use std::net::IpAddr;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use serde::Deserialize;
use serde_json::Value;

/// The calls in one world: a member of `worlds` in the journals of `moot_mock`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorldJournal {
    /// Id of the sandbox; `None` is the main world.
    pub sandbox: Option<String>,
    /// Earlier calls that the journal no longer holds, because it is bounded and can be cleared.
    pub forgotten: u64,
    /// The calls, the oldest first.
    #[serde(rename = "exchanges")]
    pub calls: Vec<JournalCall>,
}

/// The members of a journal entry that the account needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct JournalCall {
    /// Its number in the world, from 1.
    pub serial: u64,
    /// The time by the clock of the world.
    pub at: Timestamp,
    /// The address of the client.
    pub client: IpAddr,
    /// As sent.
    pub method: String,
    /// As sent, without the query.
    pub path: String,
    /// The operation; `None` for a path or method without one.
    pub operation: Option<Operation>,
    /// Client id of the application, if the token was valid.
    pub application: Option<String>,
    /// HTTP status of the answer.
    pub status: u16,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// The problem, and what would have worked.
    pub detail: Option<String>,
    /// More about the answer.
    pub response: EntryAnswer,
    /// `served`, or the rule that refused it: `limit`, `route`, `token`, `scope`, ….
    pub decision: String,
    /// The kind of an armed fault. The client may then have received something else.
    pub fault: Option<String>,
}

/// More about the answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EntryAnswer {
    /// Of a list: the number of the page.
    pub page: Option<u64>,
    /// Of a list: the number of pages.
    pub pages: Option<u64>,
    /// `Retry-After`, if it was sent.
    pub retry_after_seconds: Option<u64>,
}

impl JournalCall {
    /// Whether this operation succeeded.
    pub(super) fn did(&self, operation: Operation) -> bool {
        self.operation == Some(operation) && self.status < 300
    }

    /// The operation, or method and path without one.
    pub(super) fn name(&self) -> String {
        match self.operation {
            Some(operation) => operation.as_str().to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }
}

/// Reads the journals of all worlds.
///
/// # Errors
/// The value is not a set of journals.
pub fn read(journals: &Value) -> Result<Vec<WorldJournal>, serde_json::Error> {
    Vec::deserialize(&journals["worlds"])
}
