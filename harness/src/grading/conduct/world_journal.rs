//! The journal of one world: its calls, with the processes that sent them, and its deliveries.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::journal::WireRecord;
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
    let (processes, parallel) = (processes(&calls), parallel_calls(&calls));
    for (call, process) in calls.iter_mut().zip(processes) {
        call.process = process;
        call.is_of_parallel_client = parallel.contains(&call.serial);
    }
    Ok(calls)
}

/// The serials of the calls of clients that may have calls at the same time: a call began before another one ended, or
/// a connection was used again after another one. A client that waits for each response shows neither: the end of a
/// response is noted before the client can read it.
fn parallel_calls(calls: &[JournalCall]) -> BTreeSet<u64> {
    let mut by_caller = BTreeMap::<_, Vec<&JournalCall>>::new();
    for call in calls {
        by_caller.entry(call.caller()).or_default().push(call);
    }
    let parallel = by_caller.into_values().filter(|calls| is_parallel(calls));
    parallel.flatten().map(|call| call.serial).collect()
}

fn is_parallel(calls: &[&JournalCall]) -> bool {
    let mut wires: Vec<WireRecord> = calls.iter().filter_map(|call| call.wire).collect();
    wires.sort_by_key(|wire| wire.began_us);
    // A client that gave up is not waiting any more.
    let end_us =
        |wire: &WireRecord| wire.ended_us.filter(|_| !wire.client_left).unwrap_or_default();
    let mut seen = BTreeSet::new();
    wires.len() < calls.len()
        || wires.windows(2).any(|pair| {
            let is_new = pair[0].connection != pair[1].connection;
            seen.insert(pair[0].connection);
            pair[1].began_us < end_us(&pair[0]) || (is_new && seen.contains(&pair[1].connection))
        })
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
