//! Whoever starts a mock may be told what happens, and may judge its clients.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;
use serde_json::Value;

/// One answered call of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedCall {
    /// The system's time when it came.
    pub at: Timestamp,
    /// The sandbox that it came to; `None` is the main world.
    pub sandbox: Option<String>,
    /// As sent.
    pub method: String,
    /// The whole path, as sent, with the query; secrets are masked.
    pub path: String,
    /// `None` for a path or method without one.
    pub operation: Option<Operation>,
    /// Client id of the caller, if its token was valid. Of a token request the client id that it names.
    pub application: Option<String>,
    /// HTTP status.
    pub status: u16,
    /// `served`, or the group of rules that refused it.
    pub decision: &'static str,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: Option<String>,
    /// The kind of the fault that struck it.
    pub fault: Option<String>,
    /// From its head to its answer.
    pub milliseconds: u64,
}

/// Is told of each answered call, as soon as the answer is known. Called from many tasks at once.
pub type CallWatch = Arc<dyn Fn(WatchedCall) + Send + Sync>;

/// Is told the id of each sandbox that the control plane made, before that is answered.
pub type SandboxWatch = Arc<dyn Fn(&str) + Send + Sync>;

/// Judges what clients did in a world, by a member of `worlds` of [`Site::journals`](super::Site::journals). Gives the
/// answer of `GET /findings`, or `None` if it can't read the journal.
pub type ClientJudge = Arc<dyn Fn(&Value) -> Option<Value> + Send + Sync>;
