//! What a client did in one run of its command, and what came of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grading::conduct::{self, ControlUse, WorldJournal};

/// One run of the client's command: all that a drill is judged by. Secrets are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillRecording {
    /// The exit code of the command; null if a signal ended it, or time ran out.
    pub exit_code: Option<i32>,
    /// It was ended because it took longer than `--timeout`.
    pub is_timed_out: bool,
    /// Processes of the command were still there two seconds after its end, and were ended: calls that they would
    /// have made are missing.
    pub has_outlived: bool,
    /// Whether we failed: the mock or the command could not be started, or the journal is not whole.
    pub trouble: Option<String>,
    /// How many more objects of each kind there are than at the start.
    pub made: BTreeMap<String, i64>,
    /// The mock spoke TLS (`--tls`).
    pub is_tls: bool,
    /// Connections to a mock with a wrong certificate.
    pub connections: usize,
    /// Calls with credentials that came to another host.
    pub strangers_trusted: usize,
    /// Deliveries of webhooks that a receiver answered.
    pub deliveries: usize,
    /// Orders to the mock that were carried out after a call of the client.
    pub orders_done: usize,
    /// What the probe said of `--probe`; null without one.
    pub probe: Option<ProbeAnswers>,
    /// The journal of the mock.
    pub journal: Value,
    /// The last lines that the command printed.
    pub output: String,
}

/// How often the client's business acted, by what the probe of `--probe` said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeAnswers {
    /// How often for each legal request that was delivered.
    pub acted: BTreeMap<String, u64>,
    /// Why it could not be asked.
    pub trouble: Option<String>,
}

impl DrillRecording {
    /// Counts the deliveries that a receiver answered, by the journal.
    pub fn count_deliveries(&mut self) {
        self.deliveries = answered_deliveries(&self.journal).count();
    }

    /// What the client used of the control plane.
    pub fn control_uses(&self) -> Vec<ControlUse> {
        conduct::control_uses(&self.journal).unwrap_or_default()
    }

    /// The calls.
    ///
    /// # Errors
    /// The journal is not one.
    pub fn worlds(&self) -> Result<Vec<WorldJournal>, serde_json::Error> {
        conduct::read(&self.journal)
    }
}

/// The deliveries of all worlds of the journals that a receiver answered.
pub fn answered_deliveries(journals: &Value) -> impl Iterator<Item = &Value> {
    let worlds = journals["worlds"].as_array().into_iter().flatten();
    let all = worlds.flat_map(|world| world["deliveries"].as_array().into_iter().flatten());
    all.filter(|it| {
        let mut attempts = it["attempts"].as_array().into_iter().flatten();
        attempts.any(|attempt| attempt["status"].is_u64())
    })
}
