//! The processes of a client, and its calls at the same time, found in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::journal::JournalCall;

/// The clients that had two calls at the same time, or whose times are unknown.
pub(super) fn parallel_callers(calls: &[JournalCall]) -> BTreeSet<(IpAddr, Option<&str>)> {
    let mut last_ends = BTreeMap::new();
    let mut parallel = BTreeSet::new();
    let began_us = |call: &&JournalCall| call.wire.map(|wire| wire.began_us);
    let mut by_begin: Vec<&JournalCall> = calls.iter().collect();
    by_begin.sort_by_key(began_us);
    for call in by_begin {
        let last_end = last_ends.entry(call.caller()).or_default();
        match call.wire {
            Some(wire) if wire.began_us >= *last_end => {
                *last_end = wire.ended_us.unwrap_or(wire.began_us);
            }
            Some(_) | None => _ = parallel.insert(call.caller()),
        }
    }
    parallel
}

/// The process of each call. Every process has its own token. A process may also get a new token for each call: a token
/// that is used once, and the next one, are of the same process.
pub(super) fn processes(calls: &[JournalCall]) -> Vec<u64> {
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
