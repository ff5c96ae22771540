//! Rules about connections and HTTP.

use std::collections::BTreeSet;

use super::super::evidence::{ConductEvidence, REPEATED_MIN, grouped, of_groups};
use super::super::journal::JournalCall;
use super::super::world_journal::WorldJournal;

/// A client with fewer calls is not judged by its connections.
const CALLS_MIN: usize = 21;
/// Connections per hundred calls that are allowed.
const CONNECTIONS_PERCENT_MAX: usize = 90;

/// The calls of each client that came through a socket.
fn sent<'j, K: Ord>(
    world: &'j WorldJournal,
    client: impl Fn(&'j JournalCall) -> K,
) -> impl Iterator<Item = Vec<&'j JournalCall>> {
    let sent = world.calls.iter().filter(|call| call.wire.is_some());
    grouped(sent, |call| Some(client(call))).into_values()
}

pub(super) fn connection_per_call(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    of_groups(sent(world, JournalCall::caller), |calls| {
        let connections = calls.iter().filter_map(|call| call.connection());
        let connections = connections.collect::<BTreeSet<_>>().len();
        let is_reused = connections * 100 <= calls.len() * CONNECTIONS_PERCENT_MAX;
        (calls.len() >= CALLS_MIN && !is_reused)
            .then(|| format!("{} calls on {connections} connections", calls.len()))
    })
}

pub(super) fn nameless(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    of_groups(sent(world, |call| call.client), |calls| {
        let has_name = calls.iter().any(|call| call.request.user_agent.is_some());
        (!has_name && calls.len() >= REPEATED_MIN)
            .then(|| format!("{} calls without a `User-Agent`", calls.len()))
    })
}
