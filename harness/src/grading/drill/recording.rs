//! The recording of one run of a client's command.

use std::collections::BTreeMap;

use moot_fixtures::contract::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grading::conduct::{self, ControlUse, WorldJournal, rows};

/// One run of the client's command. A drill is judged by this alone. Secrets are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillRecording {
    /// The exit code of the command; null if a signal or `--timeout` ended it.
    pub exit_code: Option<i32>,
    /// Whether the command was ended because it took longer than `--timeout`.
    pub is_timed_out: bool,
    /// Whether processes of the command were still running two seconds after its end. They were ended, so their later
    /// calls are missing.
    pub has_outlived: bool,
    /// A failure that is not the client's: the mock or the command could not be started, or the journal is incomplete.
    pub trouble: Option<String>,
    /// The number of created objects, by kind. Negative if more were deleted than created.
    pub made: BTreeMap<String, i64>,
    /// Whether the mock spoke TLS (`--tls`).
    pub is_tls: bool,
    /// Number of connections to a mock with a wrong certificate.
    pub connections: usize,
    /// Number of calls with credentials to another host.
    #[serde(rename = "strangers_trusted")]
    pub credentials_sent_elsewhere: usize,
    /// Number of webhook deliveries that a receiver answered.
    pub deliveries: usize,
    /// Number of orders that the mock executed after a call of the client.
    pub orders_done: usize,
    /// The replies of `--probe`; null without this option.
    pub probe: Option<ProbeReplies>,
    /// The journal of the mock.
    pub journal: Value,
    /// The last lines that the command printed.
    pub output: String,
}

/// The replies of `--probe`: how often the client's business acted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeReplies {
    /// How often it acted, by the id of a delivered legal request.
    pub acted: BTreeMap<String, u64>,
    /// The reason why the probe failed.
    pub trouble: Option<String>,
}

impl DrillRecording {
    /// The client's calls of the control plane.
    pub fn control_uses(&self) -> Vec<ControlUse> {
        conduct::control_uses(&self.journal).unwrap_or_default()
    }

    /// The journals of all worlds.
    ///
    /// # Errors
    /// The journal can't be read.
    pub fn worlds(&self) -> Result<Vec<WorldJournal>, serde_json::Error> {
        conduct::read(&self.journal)
    }
}

/// The number of objects that the calls of all worlds created, by kind, less those that they deleted. Objects that the
/// service made itself, such as an archived document, do not count.
pub fn made(journals: &Value) -> BTreeMap<String, i64> {
    let mut all = BTreeMap::new();
    for call in rows(journals, "worlds").flat_map(|world| rows(world, "exchanges")) {
        let (kind, number) = match call["operation"].as_str().and_then(|it| it.parse().ok()) {
            Some(Operation::CreateLegalRequest) => ("legal_requests", 1),
            Some(Operation::CreateRepositoryDocument) => ("repository_documents", 1),
            Some(Operation::CreateWebhook) => ("webhooks", 1),
            Some(Operation::DeleteWebhook) => ("webhooks", -1),
            _ => continue,
        };
        // A fault may have replaced the response to a call that was processed.
        let is_good = call["status"].as_u64() < Some(300) || call["fault"].is_string();
        if is_good && rows(call, "changes").next().is_some() {
            *all.entry(kind.to_owned()).or_default() += number;
        }
    }
    all
}

/// The deliveries of all worlds that a receiver answered.
pub fn answered_deliveries(journals: &Value) -> impl Iterator<Item = &Value> {
    let all = rows(journals, "worlds").flat_map(|world| rows(world, "deliveries"));
    all.filter(|it| rows(it, "attempts").any(|attempt| attempt["status"].is_u64()))
}
