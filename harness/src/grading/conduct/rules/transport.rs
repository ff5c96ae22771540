//! Rules about connections and HTTP.

use std::collections::{BTreeMap, BTreeSet};

use super::super::finding::ConductEvidence;
use super::super::journal::{JournalCall, WorldJournal};
use super::super::theme::{REPEATED_MIN, grouped};

/// Calls before connections are counted.
const CALLS_MIN: usize = 20;
/// Connections for each hundred calls that are too many.
const CONNECTIONS_PERCENT_MAX: usize = 90;

pub(super) fn connection_per_call(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut callers: BTreeMap<_, (Vec<&JournalCall>, BTreeSet<u64>)> = BTreeMap::new();
    for call in &world.calls {
        let Some(wire) = call.wire else { continue };
        let (calls, connections) = callers.entry(call.caller()).or_default();
        calls.push(call);
        connections.insert(wire.connection);
    }
    let found = callers.into_values().filter_map(|(calls, connections)| {
        let is_kept = connections.len() * 100 <= calls.len() * CONNECTIONS_PERCENT_MAX;
        if calls.len() <= CALLS_MIN || is_kept {
            return None;
        }
        let seen = format!("{} calls on {} connections", calls.len(), connections.len());
        ConductEvidence::of(calls, seen)
    });
    found.collect()
}

pub(super) fn nameless(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let sent = world.calls.iter().filter(|call| call.wire.is_some());
    let found = grouped(sent, |call| Some(call.client)).into_values().filter_map(|calls| {
        let has_name = calls.iter().any(|call| call.request.user_agent.is_some());
        let seen = format!("{} calls without a `User-Agent`", calls.len());
        if has_name || calls.len() < REPEATED_MIN { None } else { ConductEvidence::of(calls, seen) }
    });
    found.collect()
}
