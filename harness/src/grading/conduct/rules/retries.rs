//! Rules about repeating calls, waiting, and the rate limit.
//!
//! Pauses are measured in real time, from the last byte of a response to the head of the next call. Only a pause
//! that is too short is a finding.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};
use moot_fixtures::journal::RuleGroup;

use super::super::evidence::{ConductEvidence, REPEATED_MIN, grouped, of_calls, of_groups, series};
use super::super::journal::JournalCall;
use super::super::world_journal::WorldJournal;

const SECOND_US: u64 = 1_000_000;

/// A client's clock may be this much ahead of ours.
const TOLERANCE_US: u64 = SECOND_US / 20;

/// Tries in a row from which pauses are judged.
const BACK_OFF_TRIES_MIN: usize = 4;
/// The shortest acceptable sum of the pauses between these tries.
const BACK_OFF_US_MIN: u64 = SECOND_US / 2;

/// Tries of one call that are allowed.
const TRIES_MAX: usize = 5;
/// A longer pause starts a new series of tries.
const SERIES_PAUSE_US_MAX: u64 = 10 * SECOND_US;

const MINUTE_US: u64 = 60 * SECOND_US;

pub(super) fn impatient_retry(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let has_time = |call: &&JournalCall| {
        call.response.retry_after_seconds.is_some() && !call.request.expects_refusal
    };
    let refusals: Vec<&JournalCall> = world.calls.iter().filter(has_time).collect();
    let early = world.calls.iter().filter(|call| {
        refusals.iter().any(|refusal| {
            refusal.serial < call.serial
                && is_early(call, refusal)
                && !is_of_another_task(world, call, refusal)
        })
    });
    of_calls(early, "call", "before the time that `Retry-After` named")
}

/// Whether a call ignored the `Retry-After` of `refusal`. Only a repetition, or a call on the same connection, comes
/// for certain from a client that read the refusal.
fn is_early(call: &JournalCall, refusal: &JournalCall) -> bool {
    if is_in_time(call, refusal) || call.was_in_flight(refusal) {
        return false;
    }
    let is_token_call = |call: &JournalCall| call.operation == Some(Operation::CreateAccessToken);
    let is_of_limit = refusal.refused_by == Some(RuleGroup::Limit)
        && !is_token_call(refusal)
        && !is_token_call(call);
    let is_meant = is_of_limit || call.operation == refusal.operation;
    // Another process does not know the refusal.
    (call.intent() == refusal.intent() && call.process == refusal.process)
        || (is_meant
            && call.caller() == refusal.caller()
            && call.connection() == refusal.connection())
}

/// Whether an early call came from a task of the client that does not know the refusal: a thread, a process with the same
/// token, or a request for a token. The refused task repeats its call after the time. Other tasks show by a connection
/// with several calls: an impatient client may open a new one for its retry.
fn is_of_another_task(world: &WorldJournal, call: &JournalCall, refusal: &JournalCall) -> bool {
    let is_patient = |later: &JournalCall| {
        later.process == refusal.process
            && later.intent() == refusal.intent()
            && is_in_time(later, refusal)
    };
    let has_other_tasks = || {
        let is_beside = |other: &&JournalCall| {
            other.process == refusal.process && other.connection() != refusal.connection()
        };
        let beside = grouped(world.calls.iter().filter(is_beside), |other| other.connection());
        beside.values().any(|calls| calls.len() > 1)
    };
    let is_apart = match call.operation {
        Some(Operation::CreateAccessToken) => call.connection() != refusal.connection(),
        _ => has_other_tasks(),
    };
    is_apart && world.calls.iter().any(|later| later.serial > call.serial && is_patient(later))
}

/// Whether a call came after the time that `Retry-After` of `refusal` named. True if the times are unknown.
fn is_in_time(call: &JournalCall, refusal: &JournalCall) -> bool {
    let seconds = refusal.response.retry_after_seconds.unwrap_or_default();
    call.pause_us(refusal)
        .is_none_or(|pause| pause + TOLERANCE_US >= seconds.saturating_mul(SECOND_US))
}

/// Failed tries of one call in a row, for each process of a client. A pause of `pause_us_max` starts a new series.
fn tries(
    world: &WorldJournal,
    pause_us_max: u64,
    is_failed: impl Fn(&JournalCall) -> bool,
) -> Vec<Vec<&JournalCall>> {
    let ends = |tries: &[&JournalCall], call: &JournalCall| {
        let Some(last) = tries.last() else { return false };
        let pause = call.pause_us(last);
        // The service named the time of this try.
        let is_told = last.response.retry_after_seconds.is_some() && is_in_time(call, last);
        !is_failed(call) || is_told || pause.is_some_and(|pause| pause >= pause_us_max)
    };
    let belongs = |tries: &[&JournalCall], call: &JournalCall| {
        is_failed(call) && tries.last().is_none_or(|last| !call.was_in_flight(last))
    };
    series(&world.calls, |call| Some((call.process, call.intent())), ends, belongs)
}

pub(super) fn no_back_off(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_failed = |call: &JournalCall| {
        matches!(call.status, 429 | 502..=504) && call.response.retry_after_seconds.is_none()
    };
    // No pause splits a series: one long pause among short ones is a back-off.
    of_groups(tries(world, u64::MAX, is_failed), |tries| {
        let pauses = tries.windows(2).map(|pair| pair[1].pause_us(pair[0]));
        let sum: u64 = pauses.collect::<Option<Vec<u64>>>()?.iter().sum();
        let (name, count, pause) = (tries[0].name(), tries.len(), sum / 1_000);
        (count >= BACK_OFF_TRIES_MIN && sum < BACK_OFF_US_MIN)
            .then(|| format!("{name}: {count} tries with pauses of {pause} ms in sum"))
    })
}

pub(super) fn retry_storm(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_failed = |call: &JournalCall| call.status == 429 || call.status >= 500;
    of_groups(tries(world, SERIES_PAUSE_US_MAX, is_failed), |tries| {
        let (name, count) = (tries[0].name(), tries.len());
        (count > TRIES_MAX).then(|| format!("{name}: {count} tries in a row"))
    })
}

pub(super) fn refused_repeated(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let refused = grouped(&world.calls, |call| {
        // Other rules judge tokens, scopes and the rate limit.
        let is_of_others = matches!(
            call.refused_by,
            None | Some(RuleGroup::Limit | RuleGroup::Token | RuleGroup::Scope)
        ) || call.operation == Some(Operation::CreateAccessToken);
        (call.is_refused() && !is_of_others && call.has_known_body())
            .then(|| (call.caller(), call.intent(), call.status, &call.detail))
    });
    let mut found = of_groups(refused.into_values(), |calls| {
        let JournalCall { method, path, status, .. } = calls[0];
        let count = calls.len();
        (count >= REPEATED_MIN).then(|| {
            format!("{method} {path} refused {count} times for the same reason ({status})")
        })
    });
    found.sort_by_key(|evidence| evidence.calls[0].serial);
    found
}

pub(super) fn blind_repeat(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut lost: BTreeMap<_, &JournalCall> = BTreeMap::new();
    let mut blind = Vec::new();
    for call in &world.calls {
        if call.is_creation() {
            let key = (call.caller(), call.intent());
            if lost.get(&key).is_some_and(|earlier| !call.was_in_flight(earlier)) {
                blind.push(call);
            }
            if call.is_lost() {
                lost.insert(key, call);
            } else {
                lost.remove(&key);
            }
        } else if call.method == "GET" && call.status < 300 {
            // The client looked for the object.
            lost.retain(|(caller, _), _| *caller != call.caller());
        }
    }
    of_calls(blind, "creation", "right after one whose response was lost")
}

pub(super) fn creation_repeated(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let content = |call: &JournalCall| {
        let digests = call.request.parts.iter().map(|part| part.digest.clone());
        (call.name(), digests.collect::<Vec<_>>())
    };
    let mut open: BTreeMap<_, BTreeMap<_, Vec<&JournalCall>>> = BTreeMap::new();
    let mut all = Vec::new();
    for call in &world.calls {
        if !call.is_creation() || call.status >= 300 {
            all.extend(open.remove(&call.caller()).into_iter().flat_map(BTreeMap::into_values));
        } else if !call.is_lost() {
            let key = (call.intent(), content(call));
            let same = open.entry(call.caller()).or_default().entry(key).or_default();
            if same.last().is_none_or(|last| !call.was_in_flight(last)) {
                same.push(call);
            }
        }
    }
    all.extend(open.into_values().flat_map(BTreeMap::into_values));
    of_groups(all, |calls| {
        let (name, count, status) = (calls[0].name(), calls.len(), calls[0].status);
        (count >= REPEATED_MIN)
            .then(|| format!("the same {name} {count} times in a row, each answered {status}"))
    })
}

pub(super) fn emptied_repeat(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut failed: BTreeMap<_, &JournalCall> = BTreeMap::new();
    let mut emptied = Vec::new();
    for call in world.calls.iter().filter(|call| !call.request.parts.is_empty()) {
        let key = (call.caller(), call.intent());
        let bytes = |call: &JournalCall| -> Vec<u64> {
            let files = call.request.parts.iter().filter(|part| part.file_name.is_some());
            files.map(|part| part.length).collect()
        };
        let is_shorter = |earlier: &&JournalCall| {
            // After a refusal another file with the same name may follow, but hardly an empty one.
            let is_less = |now: u64, then: u64| now < then && (now == 0 || earlier.is_lost());
            bytes(call).iter().zip(bytes(earlier)).any(|(now, then)| is_less(*now, then))
        };
        // A refusal because of the token or the limit is no reason to change the file.
        let is_repeatable = call.is_lost() || matches!(call.status, 401 | 429);
        if failed.get(&key).is_some_and(is_shorter) {
            emptied.push(call);
        } else if is_repeatable {
            failed.insert(key, call);
        }
    }
    of_calls(emptied, "repetition", "with less of the file than before")
}

pub(super) fn trusts_idempotency_key(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    // A creation that was refused may be repeated with its key.
    let creations = world
        .calls
        .iter()
        .filter(|call| call.is_creation() && (call.status < 300 || call.is_lost()));
    let keys = grouped(creations, |call| call.request.idempotency_key.as_deref());
    let repeated = keys.into_values().filter(|calls| calls.len() > 1).flatten();
    of_calls(repeated, "creation", "with an `Idempotency-Key` that was used again")
}

pub(super) fn over_the_limit(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let calls_max = REQUESTS_PER_MINUTE_MAX as usize;
    let counted = world
        .calls
        .iter()
        .filter(|call| call.wire.is_some() && call.operation != Some(Operation::CreateAccessToken));
    let by_address = grouped(counted, |call| Some(call.client));
    let began_us = |call: &JournalCall| call.wire.map_or(0, |wire| wire.began_us);
    let found = by_address.into_values().flat_map(|mut calls| {
        calls.sort_by_key(|call| (began_us(call), call.serial));
        let windows = calls.windows(calls_max + 1);
        let over =
            windows.filter(|calls| began_us(calls[calls_max]) - began_us(calls[0]) < MINUTE_US);
        let what = format!("beyond {REQUESTS_PER_MINUTE_MAX} a minute");
        of_calls(over.map(|calls| calls[calls_max]), "call", &what)
    });
    found.collect()
}
