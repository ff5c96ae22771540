//! Reading the journals of a run for the judge.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::conduct::DrillEnd;
use moot_fixtures::contract::Operation;
use moot_fixtures::journal::DeliveryState;

use crate::grading::conduct::{JournalCall, WorldJournal};
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{Drill, SituationSign};

/// The journals of a run.
///
/// # Errors
/// The run failed for a reason that is not the client's, or calls are missing.
pub(super) fn read_worlds(run: &DrillRecording) -> Result<Vec<WorldJournal>, String> {
    if let Some(trouble) = &run.trouble {
        return Err(trouble.clone());
    }
    let worlds = run.worlds().map_err(|error| format!("the journal cannot be read: {error}"))?;
    if worlds.iter().any(|world| world.forgotten > 0) {
        return Err("the journal of the mock did not hold all calls".to_owned());
    }
    Ok(worlds)
}

pub(super) fn calls(worlds: &[WorldJournal]) -> impl Iterator<Item = &JournalCall> {
    worlds.iter().flat_map(|world| &world.calls)
}

/// Whether a call with a token succeeded.
pub(super) fn is_served(call: &JournalCall) -> bool {
    call.application.is_some()
        && call.status < 300
        && call.operation.is_some_and(|operation| operation != Operation::CreateAccessToken)
}

pub(super) fn uses(worlds: &[WorldJournal], operation: Operation) -> bool {
    calls(worlds).any(|call| call.operation == Some(operation))
}

/// The number of tasks of the client that may have been at work at the same time, at least one: its processes by their
/// tokens, or the connections that it kept. Processes can share a token.
pub(super) fn tasks(worlds: &[WorldJournal]) -> usize {
    let mut processes = BTreeSet::new();
    let mut connections: BTreeMap<u64, usize> = BTreeMap::new();
    for call in calls(worlds).filter(|call| is_served(call)) {
        processes.insert(call.process);
        if let Some(wire) = call.wire {
            *connections.entry(wire.connection).or_default() += 1;
        }
    }
    let kept = connections.into_values().filter(|calls| *calls > 1).count();
    processes.len().max(kept).max(1)
}

/// The number of successful deletions of a webhook.
pub(super) fn deleted_webhooks(worlds: &[WorldJournal]) -> i64 {
    calls(worlds).map(|call| i64::from(call.did(Operation::DeleteWebhook))).sum()
}

/// The calls that the situation affected.
pub(super) fn affected_calls<'w>(
    sign: &SituationSign,
    worlds: &'w [WorldJournal],
) -> Vec<&'w JournalCall> {
    let SituationSign { operation, problem, fault, served, later_page, .. } = sign;
    let fits = |call: &&JournalCall| {
        (operation.is_none() || call.operation == *operation)
            && (problem.is_none() || call.problem == *problem)
            && (!fault || !call.faults.is_empty())
            && (!served || is_served(call))
            && (!later_page || is_later_page(call))
    };
    calls(worlds).filter(fits).collect()
}

/// Whether the deliveries show that the situation was met.
pub(super) fn has_deliveries(
    sign: &SituationSign,
    calm: &DrillRecording,
    run: &DrillRecording,
    worlds: &[WorldJournal],
) -> bool {
    // A client that deletes its webhook at the end discards the waiting deliveries.
    let is_open =
        |state: DeliveryState| matches!(state, DeliveryState::Queued | DeliveryState::Discarded);
    let waiting = worlds.iter().flat_map(|world| &world.deliveries);
    let waiting = waiting.filter(|it| is_open(it.state) && it.attempts.is_empty()).count();
    // A client that ends before a late event does not receive it: it failed, or found out by itself.
    let ended_before = sign.is_late
        && calm.deliveries >= sign.deliveries
        && uses(worlds, Operation::CreateWebhook)
        && waiting > 0;
    (run.deliveries >= sign.deliveries || ended_before)
        && waiting >= sign.waiting
        && (sign.waiting == 0 || calm.deliveries > 0)
        && (!sign.forged || forged_statuses(worlds).next().is_some())
}

/// A client that deletes its webhook soon after its first delivery never gets the one that repeats it (§4.13).
pub(super) fn webhook_deleted(
    drill: &Drill,
    run: &DrillRecording,
    worlds: &[WorldJournal],
) -> Option<(DrillEnd, String)> {
    let mut deliveries = worlds.iter().flat_map(|world| &world.deliveries);
    let is_early = (1..drill.sign.deliveries).contains(&run.deliveries)
        && deliveries.any(|it| it.state == DeliveryState::Discarded && it.attempts.is_empty());
    let why = "it deleted its webhook before the second delivery could be sent";
    is_early.then(|| (DrillEnd::NotApplicable, why.to_owned()))
}

/// The statuses of receivers for deliveries with a wrong credential.
pub(super) fn forged_statuses(worlds: &[WorldJournal]) -> impl Iterator<Item = u16> {
    let forged = worlds.iter().flat_map(|world| &world.deliveries).filter(|it| it.is_forged);
    forged.flat_map(|it| &it.attempts).filter_map(|attempt| attempt.status)
}

pub(super) fn is_later_page(call: &JournalCall) -> bool {
    call.response.page.is_some_and(|page| page > 1)
}

/// Whether it read the last of several pages.
pub(super) fn is_last_page(call: &JournalCall) -> bool {
    is_later_page(call) && call.response.page == call.response.pages
}

/// For each list that was read: the highest page that was read, and the number of pages in its last response. Pages may
/// be read in any order.
pub(super) fn read_lists(worlds: &[WorldJournal]) -> BTreeMap<impl Ord, (u64, u64)> {
    let mut lists = BTreeMap::new();
    for call in calls(worlds).filter(|call| is_served(call)) {
        let read = call.response.page.zip(call.response.pages);
        if let (Some(list), Some(read)) = (call.list(), read) {
            let highest = lists.entry(list).or_insert(read);
            if read.0 >= highest.0 {
                *highest = read;
            }
        }
    }
    lists
}
