//! What is wrong, each thing once: the checks of a run that say the same are one finding.
//!
//! Checks of a requirement or a pinned answer are the same where verdict, kind of message and place are:
//! ids, rows and indices are data ([`super::sameness`]). Snapshots that differ are told by what differs,
//! not by file: changes that show in the same answers are one finding, however many files hold them. A
//! snapshot whose whole difference another finding tells of that very answer belongs to that finding
//! ([`super::explained`]), and so does another requirement that the same fault of the same answers
//! breaks. What is known, or was not run, is no finding; reports list it elsewhere.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::explained;
use super::names::section_order;
use super::sameness::{kind, normal_pointer};
use super::told::Finding;
use super::view::Check;
use crate::verdict::Verdict;

/// Changes that the message of a finding names.
const CHANGES_NAMED_MAX: usize = 4;

/// What checks of one finding share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
    let also = absorbed(checks, &mut said);
    // Changes that show in the same answers, and in no others, are one.
    let mut together: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
    for (change, seen) in changed {
        together.entry(seen).or_default().push(change);
    }
    let spoken = said.into_iter().map(|(key, seen)| of_checks(checks, &key, seen));
    let differing = together.into_iter().map(|(seen, changes)| of_changes(checks, &changes, seen));
    let mut all: Vec<Finding> = spoken.chain(differing).collect();
    for (told, by) in also.into_iter().chain(explained) {
        let holds =
            |finding: &&mut Finding| finding.at.contains(&by) || finding.explained_at.contains(&by);
        if let Some(finding) = all.iter_mut().find(holds) {
            finding.explains.push(checks[told].id.clone());
            finding.explained_at.push(told);
        }
    }
    all.sort_by_cached_key(|finding| {
        let first = finding.at.first().copied();
        (Reverse(finding.verdict), section_order(&finding.section), first)
    });
    all
}

/// Takes out what only says again, of the same answers, what others say: each check with the one that
/// says it already. A requirement that is broken elsewhere too speaks for itself.
fn absorbed(checks: &[Check], said: &mut BTreeMap<Key, Vec<usize>>) -> BTreeMap<usize, usize> {
    let mut order: Vec<&Key> = said.keys().collect();
    // Another status is the cause of the rest; else the most frequent stays, of several the first of the
    // specification.
    order.sort_by_cached_key(|key| {
        let at = &said[*key];
        let first = &checks[at[0]];
        (!is_of_status(first), Reverse(at.len()), section_order(&first.section), at[0])
    });
    let mut also: BTreeMap<usize, usize> = BTreeMap::new();
    let mut taken: Vec<Key> = Vec::new();
    for (number, key) in order.iter().enumerate() {
        let is_open = |by: &&&Key| !taken.contains(**by) && is_other(by, key);
        for by in order[..number].iter().filter(is_open) {
            let pairs: Option<Vec<(usize, usize)>> = said[*key]
                .iter()
                .map(|at| Some((*at, partner(checks, *at, &said[*by])?)))
                .collect();
            if let Some(pairs) = pairs {
                also.extend(pairs);
                taken.push((*key).clone());
                break;
            }
        }
    }
    taken.iter().for_each(|key| {
        said.remove(key);
    });
    also
}

/// Whether two groups are as grave, and of other requirements or questions.
fn is_other(a: &Key, b: &Key) -> bool {
    a.verdict == b.verdict && !a.subject.is_empty() && a.subject != b.subject
}

/// The check among these that says of the same answer what this one says, or why.
fn partner(checks: &[Check], at: usize, among: &[usize]) -> Option<usize> {
    let check = &checks[at];
    let exchange = check.exchange.filter(|_| check.snapshot.is_none())?;
    let explains = |other: &&usize| {
        let other = &checks[**other];
        other.exchange == Some(exchange) && (is_same(other, check) || is_cause(other, check))
    };
    among.iter().find(explains).copied()
}

fn is_same(a: &Check, b: &Check) -> bool {
    let pointer = |check: &Check| check.pointer.as_deref().map(normal_pointer);
    let (place, other) = (pointer(a), pointer(b));
    // One value at one place, whatever each says of it.
    let is_one_value = place.as_deref().is_some_and(|place| !place.is_empty()) && place == other;
    let is_alike = is_one_value || (kind(a) == kind(b) && place == other);
    a.actual == b.actual && (is_alike || (is_of_status(a) && is_of_status(b)))
}

/// What a scenario expects of an answer is not there where that has another status; what holds of every
/// answer is judged all the same.
fn is_cause(by: &Check, check: &Check) -> bool {
    is_of_status(by) && by.place.is_some() && check.place.is_some()
}

/// Whether it complains of the status: as another than the scenario expects, or as none of the operation's.
fn is_of_status(check: &Check) -> bool {
    check.is_of_status
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
