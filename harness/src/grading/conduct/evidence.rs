//! Evidence that a client broke a rule, and the ways in which several rules find it.

use std::collections::BTreeMap;

use super::journal::JournalCall;
use crate::verdict::pluralize;

/// Refused calls that count as a habit. A test may provoke one or two errors on purpose.
pub(super) const REPEATED_MIN: usize = 3;

/// Calls that show that a client broke a rule.
#[derive(Debug, Clone)]
pub struct ConductEvidence<'j> {
    /// These calls.
    pub calls: Vec<&'j JournalCall>,
    /// How often it happened, if that is not the number of calls.
    pub times: Option<usize>,
    /// A description of the violation.
    pub seen: String,
}

impl<'j> ConductEvidence<'j> {
    /// Evidence that counts its calls.
    pub fn new(calls: Vec<&'j JournalCall>, seen: String) -> Self {
        Self { calls, times: None, seen }
    }
}

/// Evidence with the number of calls in its text: `3 calls without a token`. Empty without calls.
pub(super) fn of_calls<'j>(
    calls: impl IntoIterator<Item = &'j JournalCall>,
    noun: &str,
    what: &str,
) -> Vec<ConductEvidence<'j>> {
    let calls: Vec<_> = calls.into_iter().collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let seen = format!("{} {what}", pluralize(calls.len(), noun));
    vec![ConductEvidence::new(calls, seen)]
}

/// Evidence for each group of calls that breaks the rule. `describe` returns `None` for the other groups.
pub(super) fn of_groups<'j>(
    groups: impl IntoIterator<Item = Vec<&'j JournalCall>>,
    describe: impl Fn(&[&'j JournalCall]) -> Option<String>,
) -> Vec<ConductEvidence<'j>> {
    let evidence = groups.into_iter().filter_map(|calls| {
        let seen = describe(&calls)?;
        Some(ConductEvidence::new(calls, seen))
    });
    evidence.collect()
}

/// Evidence for each call, with its text.
pub(super) fn of_texts<'j>(
    all: impl IntoIterator<Item = (&'j JournalCall, String)>,
) -> Vec<ConductEvidence<'j>> {
    all.into_iter().map(|(call, seen)| ConductEvidence::new(vec![call], seen)).collect()
}

/// Calls by their key. Calls without a key are left out.
pub(super) fn grouped<'j, K: Ord>(
    calls: impl IntoIterator<Item = &'j JournalCall>,
    key: impl Fn(&'j JournalCall) -> Option<K>,
) -> BTreeMap<K, Vec<&'j JournalCall>> {
    let mut groups: BTreeMap<K, Vec<&JournalCall>> = BTreeMap::new();
    for call in calls {
        if let Some(key) = key(call) {
            groups.entry(key).or_default().push(call);
        }
    }
    groups
}

/// Series of calls with the same key, by their first call. `ends` says whether a call ends the series before it,
/// `belongs` whether the call is then part of a series.
pub(super) fn series<'j, K: Ord>(
    calls: impl IntoIterator<Item = &'j JournalCall>,
    key: impl Fn(&'j JournalCall) -> Option<K>,
    ends: impl Fn(&[&'j JournalCall], &'j JournalCall) -> bool,
    belongs: impl Fn(&[&'j JournalCall], &'j JournalCall) -> bool,
) -> Vec<Vec<&'j JournalCall>> {
    let mut open: BTreeMap<K, Vec<&JournalCall>> = BTreeMap::new();
    let mut all = Vec::new();
    for call in calls {
        let Some(key) = key(call) else { continue };
        let current = open.entry(key).or_default();
        if ends(current, call) {
            all.push(std::mem::take(current));
        }
        if belongs(current, call) {
            current.push(call);
        }
    }
    all.extend(open.into_values());
    all.retain(|calls| !calls.is_empty());
    all.sort_by_key(|calls| calls[0].serial);
    all
}
