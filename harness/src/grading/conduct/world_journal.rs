//! The journal of one world: its calls, with the processes that sent them, and its deliveries.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::journal::{JournalCall, JournalDelivery};

/// The journal of one world: an element of `worlds`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorldJournal {
    /// Id of the sandbox; `None` is the main world.
    pub sandbox: Option<String>,
    /// Earlier calls that the journal no longer holds, because it is bounded and can be cleared.
    pub forgotten: u64,
    /// The calls, the oldest first.
    #[serde(rename = "exchanges", deserialize_with = "calls_of_processes")]
    pub calls: Vec<JournalCall>,
    /// Deliveries to webhooks, with the responses of receivers.
    #[serde(default)]
    pub deliveries: Vec<JournalDelivery>,
    /// The mock's answers to the open questions, by id.
    #[serde(default)]
    pub answers: Value,
}

/// Reads calls, and finds the processes that sent them.
fn calls_of_processes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<JournalCall>, D::Error> {
    let mut calls = Vec::<JournalCall>::deserialize(from)?;
    let processes = processes(&calls);
    for (call, process) in calls.iter_mut().zip(processes) {
        call.process = process;
    }
    Ok(calls)
}

/// The process of each call. Every process has its own token. A process may also get a new token for each call: a token
/// that is used once, and the next one, are of the same process.
fn processes(calls: &[JournalCall]) -> Vec<u64> {
    let mut uses = BTreeMap::new();
    for call in calls {
        *uses.entry(call.token()).or_insert(0) += 1;
    }
    let mut of_token = BTreeMap::new();
    let mut of_token_used_once = BTreeMap::new();
    let mut processes = Vec::with_capacity(calls.len());
    for call in calls {
        let process = *of_token
            .entry(call.token())
            .or_insert_with(|| of_token_used_once.remove(&call.caller()).unwrap_or(call.serial));
        if uses[&call.token()] == 1 && call.request.authorization.is_some() {
            of_token_used_once.insert(call.caller(), process);
        }
        processes.push(process);
    }
    processes
}

/// Reads the journals of all worlds.
///
/// # Errors
/// The value is not a set of journals.
pub fn read(journals: &Value) -> Result<Vec<WorldJournal>, serde_json::Error> {
    Vec::deserialize(&journals["worlds"])
}
