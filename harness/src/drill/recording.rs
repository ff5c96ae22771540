//! What a client did in one run of its command, and what came of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conduct::{self, WorldJournal};

/// One run of the client's command: all that a drill is judged by. Secrets are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillRecording {
    /// The exit code of the command; null if a signal ended it, or time ran out.
    pub exit_code: Option<i32>,
    /// It was ended because it took longer than `--timeout`.
    pub is_timed_out: bool,
    /// Processes of the command were still there after its end, and were ended.
    pub has_outlived: bool,
    /// Whether we failed: the mock or the command could not be started, or the journal is not whole.
    pub trouble: Option<String>,
    /// How many more objects of each kind there are than at the start.
    pub made: BTreeMap<String, i64>,
    /// Calls with credentials that came to another host.
    pub strangers_trusted: usize,
    /// Deliveries of webhooks that were attempted.
    pub deliveries: usize,
    /// Orders to the mock that were carried out after a call of the client.
    pub orders_done: usize,
    /// The journal of the mock.
    pub journal: Value,
    /// The last lines that the command printed.
    pub output: String,
}

impl DrillRecording {
    /// The calls.
    ///
    /// # Errors
    /// The journal is not one.
    pub fn worlds(&self) -> Result<Vec<WorldJournal>, serde_json::Error> {
        conduct::read(&self.journal)
    }
}
