//! What is wrong, each thing once: the checks of a run that say the same are one finding.
//!
//! Checks of a requirement or a pinned answer are the same where verdict, kind of message and place are:
//! ids, rows and indices are data ([`super::sameness`]). Snapshots that differ are told by what differs,
//! not by file: changes that show in the same answers are one finding, however many files hold them. A
//! snapshot whose whole difference another finding tells of that very answer belongs to that finding
//! ([`super::explained`]). What is known, or was not run, is no finding; reports list it elsewhere.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::explained;
use super::names::section_order;
use super::sameness::{kind, normal_pointer};
use super::view::{Check, Finding};
use crate::verdict::Verdict;

/// Changes that the message of a finding names.
const CHANGES_NAMED_MAX: usize = 4;

/// What checks of one finding share.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    verdict: Verdict,
    subject: String,
    kind: String,
    pointer: String,
}

/// The findings of these checks, worst first, then in the order of the specification.
pub(super) fn findings(checks: &[Check]) -> Vec<Finding> {
    let explained = explained::explained(checks);
    let mut said: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    let mut changed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, check) in checks.iter().enumerate().filter(|(_, check)| is_wrong(check)) {
        if explained.contains_key(&at) {
            continue;
        }
        if check.changes.is_empty() {
            said.entry(key(check)).or_default().push(at);
        }
        for change in &check.changes {
            let seen = changed.entry(&change.text).or_default();
            if seen.last() != Some(&at) {
                seen.push(at);
            }
        }
    }
    // Changes that show in the same answers, and in no others, are one.
    let mut together: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
    for (change, seen) in changed {
        together.entry(seen).or_default().push(change);
    }
    let spoken = said.into_iter().map(|(key, seen)| of_checks(checks, &key, seen));
    let differing = together.into_iter().map(|(seen, changes)| of_changes(checks, &changes, seen));
    let mut all: Vec<Finding> = spoken.chain(differing).collect();
    for (snapshot, by) in explained {
        if let Some(finding) = all.iter_mut().find(|finding| finding.at.contains(&by)) {
            finding.explains.push(checks[snapshot].id.clone());
            finding.explained_at.push(snapshot);
        }
    }
    all.sort_by_cached_key(|finding| {
        let first = finding.at.first().copied();
        (Reverse(finding.verdict), section_order(&finding.section), first)
    });
    all
}

/// Whether a person has to look at it, be it a warning.
fn is_wrong(check: &Check) -> bool {
    check.is_bad() || check.is_warning()
}

fn key(check: &Check) -> Key {
    // A step without its snapshot is recorded by one run, however many there are.
    let is_missing =
        check.snapshot.is_some() && check.verdict == Verdict::Drift && check.actual.is_empty();
    Key {
        verdict: check.verdict,
        subject: if is_missing { String::new() } else { check.subject().to_owned() },
        kind: kind(check),
        pointer: normal_pointer(check.pointer.as_deref().unwrap_or_default()),
    }
}

fn of_checks(checks: &[Check], key: &Key, at: Vec<usize>) -> Finding {
    let first = &checks[at[0]];
    let pointer = first.pointer.as_ref().map(|_| key.pointer.clone());
    finding(checks, first.message.clone(), pointer, at)
}

fn of_changes(checks: &[Check], changes: &[&str], at: Vec<usize>) -> Finding {
    let first = &checks[at[0]];
    // As they come in the answer, not in the alphabet.
    let mut named: Vec<&str> = first.changes.iter().map(|change| change.text.as_str()).collect();
    named.retain(|text| changes.contains(text));
    let more = named.len().saturating_sub(CHANGES_NAMED_MAX);
    named.truncate(CHANGES_NAMED_MAX);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let message = format!("{}: {}{more}", first.message, named.join(", "));
    finding(checks, message, None, at)
}

fn finding(checks: &[Check], message: String, pointer: Option<String>, at: Vec<usize>) -> Finding {
    let first = &checks[at[0]];
    Finding {
        verdict: first.verdict,
        requirement: first.requirement.clone(),
        question: first.question.clone(),
        snapshot: first.snapshot.clone(),
        section: first.section.clone(),
        message,
        pointer,
        count: at.len(),
        checks: at.iter().map(|at| checks[*at].id.clone()).collect(),
        explains: Vec::new(),
        at,
        explained_at: Vec::new(),
    }
}
