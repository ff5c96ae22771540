//! Judging clients: the rules are not the mock's. Whoever starts it may give it a judge.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

type JudgeFunction = dyn Fn(&Value) -> Option<Value> + Send + Sync;

/// Judges what clients did in a world, by its journal.
#[derive(Clone)]
pub struct ClientJudge(Arc<JudgeFunction>);

impl ClientJudge {
    /// One that calls this function with a member of `worlds` of [`Site::journals`](super::Site::journals). It gives
    /// the answer of `GET /findings`, or `None` if it can't read the journal.
    pub fn new(judged: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self(Arc::new(judged))
    }

    pub(crate) fn judge(&self, journal: &Value) -> Option<Value> {
        (self.0)(journal)
    }
}

impl fmt::Debug for ClientJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientJudge")
    }
}
