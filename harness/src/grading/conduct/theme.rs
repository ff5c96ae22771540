//! What the rules of all themes share.

use std::collections::BTreeMap;

use super::finding::ConductEvidence;
use super::journal::JournalCall;
use crate::verdict::counted;

/// This many refused calls make a habit. A test that provokes an error once or twice has none.
pub(super) const REPEATED_MIN: usize = 3;

pub(super) fn one(evidence: Option<ConductEvidence<'_>>) -> Vec<ConductEvidence<'_>> {
    evidence.into_iter().collect()
}

/// Evidence of these calls, told by their number: `3 calls without a token`. Nothing if there are none.
pub(super) fn of_calls<'j>(
    calls: Vec<&'j JournalCall>,
    noun: &str,
    what: &str,
) -> Vec<ConductEvidence<'j>> {
    let seen = format!("{} {what}", counted(calls.len(), noun));
    one(ConductEvidence::of(calls, seen))
}

/// The calls that have a key, by it.
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

/// Evidence for each text, with the calls that it is about.
pub(super) fn by_text<'j>(
    all: impl IntoIterator<Item = (&'j JournalCall, String)>,
) -> Vec<ConductEvidence<'j>> {
    let mut found: Vec<ConductEvidence<'j>> = Vec::new();
    for (call, seen) in all {
        match found.iter_mut().find(|evidence| evidence.seen == seen) {
            Some(evidence) => evidence.calls.push(call),
            None => found.extend(ConductEvidence::of(vec![call], seen)),
        }
    }
    found
}
