//! Telling somebody of each answered call: `moot mock -v`, and of each new sandbox.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

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
#[derive(Clone)]
pub struct CallWatch(Arc<dyn Fn(WatchedCall) + Send + Sync>);

impl CallWatch {
    /// One that calls this function.
    pub fn new(told: impl Fn(WatchedCall) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    pub(crate) fn tell(&self, call: WatchedCall) {
        (self.0)(call);
    }
}

impl fmt::Debug for CallWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallWatch")
    }
}

/// Is told the id of each sandbox that the control plane made, before that is answered.
#[derive(Clone)]
pub struct SandboxWatch(Arc<dyn Fn(&str) + Send + Sync>);

impl SandboxWatch {
    /// One that calls this function.
    pub fn new(told: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    pub(crate) fn tell(&self, id: &str) {
        (self.0)(id);
    }
}

impl fmt::Debug for SandboxWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SandboxWatch")
    }
}
