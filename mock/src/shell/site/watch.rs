//! Callbacks of a mock for its program: answered calls, new sandboxes, and the judge of clients.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use moot_fixtures::journal::FaultKind;
use serde_json::Value;

/// One answered call of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedCall {
    /// The system's time at its arrival.
    pub at: Timestamp,
    /// The id of its sandbox; `None` is the main world.
    pub sandbox: Option<String>,
    /// As sent.
    pub method: String,
    /// The whole path, as sent, with the query; secrets are masked.
    pub path: String,
    /// `None` if the path or the method has no operation.
    pub operation: Option<Operation>,
    /// Client id of the caller, if its token was valid. For a token request, the client id in it.
    pub application: Option<String>,
    /// HTTP status.
    pub status: u16,
    /// `served`, or the group of rules that refused it.
    pub decision: &'static str,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// The kinds of the fault that was applied to it.
    pub faults: Vec<FaultKind>,
    /// Time from the head of the request to the response.
    pub milliseconds: u64,
}

/// Receives each answered call, as soon as the response is known. Many tasks call it at the same time.
pub type CallWatch = Arc<dyn Fn(WatchedCall) + Send + Sync>;

/// Receives the id of each new sandbox, before its creation is answered.
pub type SandboxWatch = Arc<dyn Fn(&str) + Send + Sync>;

/// Judges the journal of a world, a member of `worlds` of [`Site::journals`](super::Site::journals). Returns the
/// response of `GET /findings`, or `None` if it can't read the journal.
pub type ClientJudge = Arc<dyn Fn(&Value) -> Option<Value> + Send + Sync>;
