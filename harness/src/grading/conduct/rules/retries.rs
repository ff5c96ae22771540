//! Rules about repeating calls, waiting, and the rate limit.
//!
//! Waiting is measured in real time, from our last byte to the head of the next call. Only being too early
//! is a finding.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::super::finding::ConductEvidence;
use super::super::journal::{JournalCall, WorldJournal};
use super::super::theme::{REPEATED_MIN, grouped, of_calls, one};
use crate::verdict::counted;

const SECOND_US: u64 = 1_000_000;

/// A client's clock may be this much ahead of ours.
const TOLERANCE_US: u64 = SECOND_US / 20;

/// Tries in a row after which pauses are looked at.
const BACK_OFF_TRIES_MIN: usize = 4;
/// Pauses of so many tries that are shorter in sum are none.
const BACK_OFF_US_MIN: u64 = SECOND_US / 2;

/// Tries of one call that are excused.
const TRIES_MAX: usize = 5;
/// A longer pause makes a new series of tries.
const SERIES_PAUSE_US_MAX: u64 = 10 * SECOND_US;

const MINUTE_US: u64 = 60 * SECOND_US;

pub(super) fn impatient_retry(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let told = |call: &&JournalCall| call.response.retry_after_seconds.is_some();
    let mut early: BTreeMap<u64, &JournalCall> = BTreeMap::new();
    for (at, refusal) in world.calls.iter().enumerate().filter(|(_, call)| told(call)) {
        for call in &world.calls[at + 1..] {
            if is_early(call, refusal) {
                early.insert(call.serial, call);
            }
        }
    }
    let early: Vec<_> = early.into_values().collect();
    of_calls(early, "call", "before the time that `Retry-After` named")
}

/// Whether a call should have waited for the time that `refusal` names. Only the same call again, or one on
/// the same connection, is certain to come from a client that read it.
fn is_early(call: &JournalCall, refusal: &JournalCall) -> bool {
    let (Some(seconds), Some(pause)) =
        (refusal.response.retry_after_seconds, call.pause_us(refusal))
    else {
        return false;
    };
    if pause + TOLERANCE_US >= seconds.saturating_mul(SECOND_US) || call.was_in_flight(refusal) {
        return false;
    }
    let connection = |call: &JournalCall| call.wire.map(|wire| wire.connection);
    let is_token_call = |call: &JournalCall| call.operation == Some(Operation::CreateAccessToken);
    let is_of_limit =
        refusal.decision == "limit" && !is_token_call(refusal) && !is_token_call(call);
    let is_meant = is_of_limit || call.operation == refusal.operation;
    call.caller() == refusal.caller()
        && (call.intent() == refusal.intent()
            || (is_meant && connection(call) == connection(refusal)))
}

/// The same call again and again, by the calls of one client in their order. A pause of `pause_us_max` makes a
/// new series.
fn series(
    world: &WorldJournal,
    pause_us_max: u64,
    is_failed: impl Fn(&JournalCall) -> bool,
) -> Vec<Vec<&JournalCall>> {
    let mut open: BTreeMap<_, Vec<&JournalCall>> = BTreeMap::new();
    let mut done = Vec::new();
    for call in &world.calls {
        let tries = open.entry((call.caller(), call.intent())).or_default();
        let is_late = tries
            .last()
            .and_then(|last| call.pause_us(last))
            .is_some_and(|pause| pause >= pause_us_max);
        if is_late || !is_failed(call) {
            done.push(std::mem::take(tries));
        }
        if is_failed(call) && tries.last().is_none_or(|last| !call.was_in_flight(last)) {
            tries.push(call);
        }
    }
    done.extend(open.into_values());
    done.retain(|tries| !tries.is_empty());
    done.sort_by_key(|tries| tries[0].serial);
    done
}

pub(super) fn no_back_off(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_failed = |call: &JournalCall| {
        matches!(call.status, 429 | 502..=504) && call.response.retry_after_seconds.is_none()
    };
    // All tries together: a longer pause between two of them must not make a series of the others.
    let found = series(world, u64::MAX, is_failed).into_iter().filter_map(|tries| {
        let pauses = tries.windows(2).map(|pair| pair[1].pause_us(pair[0]));
        let sum: u64 = pauses.collect::<Option<Vec<u64>>>()?.iter().sum();
        if tries.len() < BACK_OFF_TRIES_MIN || sum >= BACK_OFF_US_MIN {
            return None;
        }
        let seen = format!(
            "{}: {} tries with {} ms of pauses in sum",
            tries[0].name(),
            tries.len(),
            sum / 1_000
        );
        ConductEvidence::of(tries, seen)
    });
    found.collect()
}

pub(super) fn retry_storm(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let is_failed = |call: &JournalCall| call.status == 429 || call.status >= 500;
    let found = series(world, SERIES_PAUSE_US_MAX, is_failed).into_iter().filter_map(|tries| {
        let seen = format!("{}: {} tries in a row", tries[0].name(), tries.len());
        if tries.len() <= TRIES_MAX { None } else { ConductEvidence::of(tries, seen) }
    });
    found.collect()
}

pub(super) fn refused_repeated(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let refused = grouped(&world.calls, |call| {
        // Tokens, scopes and the rate limit have rules of their own.
        let is_of_others = matches!(call.decision.as_str(), "served" | "limit" | "token" | "scope")
            || call.operation == Some(Operation::CreateAccessToken);
        let is_meant = call.is_refused() && !is_of_others;
        is_meant.then(|| (call.caller(), call.intent(), call.status, &call.detail))
    });
    let mut found: Vec<_> = refused
        .into_values()
        .filter(|calls| calls.len() >= REPEATED_MIN)
        .filter_map(|calls| {
            let seen = format!(
                "{} {} refused {} times for the same reason ({})",
                calls[0].method,
                calls[0].path,
                calls.len(),
                calls[0].status
            );
            ConductEvidence::of(calls, seen)
        })
        .collect();
    found.sort_by_key(|evidence| evidence.calls[0].serial);
    found
}

pub(super) fn blind_repeat(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut lost: BTreeMap<_, &JournalCall> = BTreeMap::new();
    let mut blind = Vec::new();
    for call in &world.calls {
        if call.is_creation() {
            let key = (call.caller(), call.intent());
            let is_again = lost.get(&key).is_some_and(|earlier| {
                !call.was_in_flight(earlier) || !has_side_connections(world, earlier)
            });
            if is_again {
                blind.push(call);
            }
            if call.is_lost() {
                lost.insert(key, call);
            } else {
                lost.remove(&key);
            }
        } else if call.method == "GET" && call.status < 300 {
            // It looked.
            lost.retain(|(caller, _), _| *caller != call.caller());
        }
    }
    of_calls(blind, "creation", "right after one whose answer was lost")
}

/// Whether its client had used another connection before. A client with one connection sends nothing at the same
/// time: its next call, on a new connection, is a repetition.
fn has_side_connections(world: &WorldJournal, lost: &JournalCall) -> bool {
    let connection = |call: &JournalCall| call.wire.map(|wire| wire.connection);
    let earlier = world.calls.iter().take_while(|call| call.serial < lost.serial);
    lost.wire.is_none()
        || earlier
            .filter(|call| call.caller() == lost.caller())
            .any(|call| connection(call) != connection(lost))
}

pub(super) fn creation_repeated(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut rows: BTreeMap<_, Vec<&JournalCall>> = BTreeMap::new();
    let mut found = Vec::new();
    for call in &world.calls {
        let row = rows.entry(call.caller()).or_default();
        let is_again = row.last().is_none_or(|last| last.intent() == call.intent());
        if !call.is_creation() || call.status >= 300 || !is_again {
            found.push(std::mem::take(row));
        }
        if call.is_creation() && call.status < 300 && !call.is_lost() {
            row.push(call);
        }
    }
    found.extend(rows.into_values());
    let found = found.into_iter().filter(|row| row.len() >= REPEATED_MIN).filter_map(|row| {
        let seen = format!(
            "the same {} {} times in a row, each answered {}",
            row[0].name(),
            row.len(),
            row[0].status
        );
        ConductEvidence::of(row, seen)
    });
    found.collect()
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
            bytes(call).iter().zip(bytes(earlier)).any(|(now, then)| *now < then)
        };
        if failed.get(&key).is_some_and(is_shorter) {
            emptied.push(call);
        } else if call.is_lost() {
            failed.insert(key, call);
        }
    }
    of_calls(emptied, "repetition", "with less of the file than before")
}

pub(super) fn trusts_idempotency_key(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let creations = world.calls.iter().filter(|call| call.is_creation());
    let keys = grouped(creations, |call| call.request.idempotency_key.as_deref());
    let repeated: Vec<_> = keys.into_values().filter(|calls| calls.len() > 1).flatten().collect();
    let seen = format!("{} creations with an `Idempotency-Key` used again", repeated.len());
    one(ConductEvidence::of(repeated, seen))
}

pub(super) fn over_the_limit(world: &WorldJournal) -> Vec<ConductEvidence<'_>> {
    let mut by_address: BTreeMap<_, Vec<(u64, &JournalCall)>> = BTreeMap::new();
    for call in &world.calls {
        if let Some(wire) =
            call.wire.filter(|_| call.operation != Some(Operation::CreateAccessToken))
        {
            by_address.entry(call.client).or_default().push((wire.began_us, call));
        }
    }
    let calls_max = REQUESTS_PER_MINUTE_MAX as usize;
    let found = by_address.into_values().filter_map(|mut calls| {
        calls.sort_by_key(|(began_us, call)| (*began_us, call.serial));
        let is_over = |pair: &&[(u64, &JournalCall)]| pair[calls_max].0 - pair[0].0 < MINUTE_US;
        let over = calls.windows(calls_max + 1).filter(is_over);
        let over: Vec<_> = over.map(|pair| pair[calls_max].1).collect();
        let seen =
            format!("{} beyond {REQUESTS_PER_MINUTE_MAX} a minute", counted(over.len(), "call"));
        ConductEvidence::of(over, seen)
    });
    found.collect()
}
