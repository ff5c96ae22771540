//! Rules that only a drill can judge. Without a disturbance the same calls may have another reason.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{EXECUTION_COMPLETE, Operation};
use moot_fixtures::journal::FaultKind;

use super::super::evidence::{ConductEvidence, grouped, of_calls};
use super::super::journal::{IN_FLIGHT_US, JournalCall, JournalDelivery};
use super::super::world_journal::WorldJournal;
use super::lists::{is_search, used_ids};
use super::tokens::calls_by_token;
use super::webhooks::of_deliveries;
use crate::verdict::pluralize;

const SECOND_US: u64 = 1_000_000;
/// The time after a dead token in which token requests are counted.
const RENEWAL_US: u64 = SECOND_US;
/// Token requests for one dead token in this time that are allowed.
const RENEWALS_MAX: usize = 2;
/// The calls with a token from which it is the token of a process.
const USES_MIN: usize = 2;
/// The shortest acceptable timeout of a client.
const TIMEOUT_US_MIN: u64 = 10 * SECOND_US;
/// The page size in the examples of the specification.
const ROWS_SHOWN: usize = 25;

pub(super) fn renewal_stampede(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_dead = |call: &&JournalCall| call.has_dead_token();
    let Some(first) = world.calls.iter().find(is_dead) else { return Vec::new() };
    let in_time = |call: &&JournalCall| {
        call.serial > first.serial
            && call.caller() == first.caller()
            && call.pause_us(first).is_some_and(|pause| pause < RENEWAL_US)
    };
    let soon = || world.calls.iter().filter(in_time);
    // Each process has its own token.
    let dead: BTreeSet<Option<&str>> = soon()
        .filter(is_dead)
        .chain([first])
        .map(|call| call.request.authorization.as_deref())
        .collect();
    let renewals: Vec<_> = soon().filter(|call| call.did(Operation::CreateAccessToken)).collect();
    // Other processes may get their own tokens in this time, and use them.
    let uses = calls_by_token(world);
    let is_used = |call: &&&JournalCall| {
        let token = call.answer["access_token"].as_str();
        token.and_then(|token| uses.get(token)).is_some_and(|calls| calls.len() >= USES_MIN)
    };
    let of_others = renewals.iter().filter(is_used).count().saturating_sub(1);
    if renewals.len() - of_others <= RENEWALS_MAX * dead.len() {
        return Vec::new();
    }
    let what = format!("within a second, for {}", pluralize(dead.len(), "dead token"));
    of_calls(renewals, "token request", &what)
}

fn stalled(world: &WorldJournal) -> impl Iterator<Item = &JournalCall> {
    world.calls.iter().filter(|call| call.faults.contains(&FaultKind::Stall))
}

pub(super) fn no_timeout(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let has_waited = |call: &&JournalCall| {
        call.wire.is_some_and(|wire| wire.ended_us.is_some() && !wire.client_left)
    };
    let calls = stalled(world).filter(has_waited);
    let what =
        "without a timeout, or with a longer one: the client waited until the service gave up";
    of_calls(calls, "call", what)
}

pub(super) fn too_short_timeout(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    // The journal does not show when a client left. Its next try shows it.
    let left = stalled(world).filter(|call| call.wire.is_some_and(|wire| wire.ended_us.is_none()));
    let soon = left.filter(|call| {
        let again = world.calls.iter().filter(|next| {
            next.serial > call.serial
                && next.process == call.process
                && next.intent() == call.intent()
        });
        let waited =
            again.filter_map(|again| again.wire?.began_us.checked_sub(call.wire?.began_us));
        // Earlier ones may be of other tasks of the client, with the same token.
        let last = waited.filter(|waited_us| *waited_us >= IN_FLIGHT_US).max();
        last.is_some_and(|waited_us| waited_us < TIMEOUT_US_MIN)
    });
    of_calls(soon, "call", &format!("given up in less than {} s", TIMEOUT_US_MIN / SECOND_US))
}

pub(super) fn assumes_25(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let used = used_ids(world);
    let lists = grouped(&world.calls, JournalCall::list).into_iter();
    let found = lists.filter_map(|((operation, _), calls)| {
        let asked = calls.iter().filter_map(|call| call.asked_page()).max().unwrap_or(1);
        let last = calls.iter().rfind(|call| call.response.page == Some(asked))?;
        let pages = last.response.pages?;
        let rows = last.answer["data"].as_array()?.len();
        if asked >= pages || rows >= ROWS_SHOWN || is_search(last, &used) {
            return None;
        }
        let name = operation.as_str();
        let rows = pluralize(rows, "row");
        let seen = format!("{name}: stopped at page {asked} of {pages}, which had {rows}");
        Some(ConductEvidence::new(vec![*last], seen))
    });
    found.collect()
}

pub(super) fn stale_schema(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut refused: BTreeMap<_, &JournalCall> = BTreeMap::new();
    let mut stale = Vec::new();
    for call in &world.calls {
        if call.did(Operation::GetWorkflowSchema) {
            refused.retain(|(caller, workflow), _| {
                *caller != call.caller() || call.id() != Some(*workflow)
            });
        }
        if call.operation != Some(Operation::CreateLegalRequest) {
            continue;
        }
        let Some(workflow) = call.field("workflow_id") else { continue };
        let key = (call.caller(), workflow);
        if refused.get(&key).is_some_and(|earlier| !call.was_in_flight(earlier)) {
            stale.push(call);
        } else if call.status == 422 {
            refused.insert(key, call);
        }
    }
    of_calls(stale, "creation", "after a refusal, without reading the schema again")
}

pub(super) fn hook_unknown_event(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_lost = |it: &JournalDelivery| {
        !it.attempts.is_empty() && it.attempts.iter().all(|attempt| attempt.status.is_none())
    };
    // A receiver that still answers events, and has lost none of a known kind, breaks at an unknown kind.
    let is_known = |it: &&JournalDelivery| it.event == EXECUTION_COMPLETE;
    let known = || world.deliveries.iter().filter(is_known);
    let answered = known().filter(|it| it.attempts.iter().any(|attempt| attempt.status.is_some()));
    let last = answered.map(|it| it.id).max().filter(|_| !known().any(is_lost));
    let is_refused = |delivery: &JournalDelivery| {
        let is_refused = |status: u16| !(200..300).contains(&status);
        let has_refused = delivery.attempts.iter().any(|it| it.status.is_some_and(is_refused));
        let breaks = is_lost(delivery) && last.is_some_and(|last| delivery.id < last);
        delivery.event != EXECUTION_COMPLETE && (has_refused || breaks)
    };
    of_deliveries(world, is_refused, "of an unknown kind refused, or not answered")
}
