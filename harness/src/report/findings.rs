//! The faults that a run found, each once: checks that show the same fault are one finding.
//!
//! Checks of a requirement or of a pinned answer show the same fault if verdict, kind of failure and place are the
//! same. Indices of lists do not count. Snapshots are grouped by their differences: differences that occur in the same
//! responses are one finding, in any number of files. If another finding explains the whole difference of a response
//! from its snapshot, the snapshot belongs to that finding. So does another requirement that the same fault breaks.
//! Known failures and checks that were not run are not findings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::finding_cause::{explains, is_server_error, normal_pointer, partner};
use super::terminal::first_of;
use crate::verdict::Verdict;
use crate::verdict::check::{MismatchKind, ResponsePart};
use crate::verdict::result::{CheckResult, Subject};

/// The most changes that the message of a finding names.
const CHANGES_NAMED_MAX: usize = 4;

/// One fault of the service, with all checks that show it.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// `error`, `fail`, `drift`, `warn`.
    pub verdict: Verdict,
    /// The requirement, the question or the snapshot of the first check.
    #[serde(flatten)]
    pub subject: Subject,
    /// The clause of the first check.
    pub section: String,
    /// The message of the first check. For snapshots it also names the differences.
    pub message: String,
    /// JSON Pointer into the body, `*` for the index of a list.
    pub pointer: Option<String>,
    /// The number of checks that show it.
    pub count: usize,
    /// The ids of these checks, in order.
    pub checks: Vec<String>,
    /// Ids of the checks that fail for the same reason: checks of other requirements, and snapshots that differ
    /// only by this fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<String>,
    /// The title of the scenario of the first check. The report sets this member and those below.
    pub title: String,
    /// Numbers of the exchanges of that scenario, in order, up to the end of the step of the first check.
    pub exchanges: Vec<u64>,
    /// The command that runs that scenario again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    /// A shell script that sends these exchanges again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The checks, as indices into the list of checks; at least one.
    #[serde(skip)]
    pub at: Vec<usize>,
    /// The explained checks, as indices.
    #[serde(skip)]
    pub explained_at: Vec<usize>,
}

impl Finding {
    /// Whether it is more than a warning.
    pub fn is_bad(&self) -> bool {
        self.verdict != Verdict::Warn
    }

    /// The first check, which a report shows in full.
    pub fn first<'a>(&self, checks: &'a [CheckResult]) -> Option<&'a CheckResult> {
        self.at.first().and_then(|at| checks.get(*at))
    }

    /// The places of the other checks: `scenario › step`, each once.
    pub fn others(&self, checks: &[CheckResult]) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for check in self.at.iter().filter_map(|at| checks.get(*at)) {
            let place = format!("{} › {}", check.scenario, check.step);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.into_iter().skip(1).collect()
    }

    /// A line for each explained check: another requirement, answer or snapshot.
    pub fn with_it(&self, checks: &[CheckResult]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for check in self.explained(checks) {
            let line = match &check.subject {
                Subject::Snapshot(name) => format!("{name} differs by this"),
                Subject::Question(name) => format!("this changes the answer to {name}"),
                Subject::Requirement(id) => format!("this breaks {id} (§{})", check.section),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The explained checks.
    pub fn explained<'a>(&self, checks: &'a [CheckResult]) -> Vec<&'a CheckResult> {
        self.explained_at.iter().filter_map(|at| checks.get(*at)).collect()
    }

    /// ` (12 times)`; empty for a single check.
    pub fn times(&self) -> String {
        if self.count > 1 { format!(" ({} times)", self.count) } else { String::new() }
    }
}

/// The facts that all checks of one finding share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey {
    verdict: Verdict,
    subject: String,
    mismatch: Option<MismatchKind>,
    part: Option<ResponsePart>,
    pointer: String,
}

/// The findings of these checks, worst first, then in the order of the specification.
pub(crate) fn findings(checks: &[CheckResult]) -> Vec<Finding> {
    let explained = explained_snapshots(checks);
    let mut failed: BTreeMap<FindingKey, Vec<usize>> = BTreeMap::new();
    let mut changed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, check) in
        checks.iter().enumerate().filter(|(_, check)| check.is_bad() || check.is_warning())
    {
        if explained.contains_key(&at) {
            continue;
        }
        if check.changes.is_empty() {
            failed.entry(key(check)).or_default().push(at);
        }
        for change in &check.changes {
            let seen = changed.entry(&change.text).or_default();
            if seen.last() != Some(&at) {
                seen.push(at);
            }
        }
    }
    let repeated = take_repeated(checks, &mut failed);
    // Changes that occur in exactly the same responses are one finding.
    let mut together: BTreeMap<Vec<usize>, Vec<&str>> = BTreeMap::new();
    for (change, seen) in changed {
        together.entry(seen).or_default().push(change);
    }
    let failures = failed.into_iter().map(|(key, seen)| of_checks(checks, &key, seen));
    let changes = together.into_iter().map(|(seen, changes)| of_changes(checks, &changes, seen));
    let mut all: Vec<Finding> = failures.chain(changes).collect();
    for (at, by) in repeated.into_iter().chain(explained) {
        let has_cause =
            |finding: &&mut Finding| finding.at.contains(&by) || finding.explained_at.contains(&by);
        if let Some(finding) = all.iter_mut().find(has_cause) {
            finding.explains.push(checks[at].id());
            finding.explained_at.push(at);
        }
    }
    all.sort_by_cached_key(|finding| {
        let first = finding.at.first().copied();
        (Reverse(finding.verdict), section_order(&finding.section), first)
    });
    all
}

/// Removes each group whose checks all repeat the fault of another group, in the same responses. Returns each removed
/// check with the check that shows the fault already. A requirement that is also broken in other responses stays.
fn take_repeated(
    checks: &[CheckResult],
    failed: &mut BTreeMap<FindingKey, Vec<usize>>,
) -> BTreeMap<usize, usize> {
    let mut order: Vec<&FindingKey> = failed.keys().collect();
    // Server errors come first, then a wrong status, because it causes the rest. Then the most frequent group, then the
    // first one of the specification.
    order.sort_by_cached_key(|key| {
        let at = &failed[*key];
        let first = &checks[at[0]];
        let is_later = (!is_server_error(first), !first.is_of_status());
        (is_later, Reverse(at.len()), section_order(&first.section), at[0])
    });
    let mut repeated: BTreeMap<usize, usize> = BTreeMap::new();
    let mut taken: Vec<FindingKey> = Vec::new();
    for (number, key) in order.iter().enumerate() {
        let is_open = |by: &&&FindingKey| !taken.contains(**by) && is_other(by, key);
        let open: Vec<&&FindingKey> = order[..number].iter().filter(is_open).collect();
        let explained = |at: &usize| {
            let by = open.iter().find_map(|by| partner(checks, *at, &failed[**by]))?;
            Some((*at, by))
        };
        if let Some(pairs) = failed[*key].iter().map(explained).collect::<Option<Vec<_>>>() {
            repeated.extend(pairs);
            taken.push((*key).clone());
        }
    }
    failed.retain(|key, _| !taken.contains(key));
    repeated
}

/// Whether two groups have the same verdict, and different requirements or questions. A scenario may also check the
/// requirement about server errors, or about the members of a problem, itself.
fn is_other(a: &FindingKey, b: &FindingKey) -> bool {
    let is_whole =
        matches!(a.mismatch, Some(MismatchKind::ServerError | MismatchKind::Schema { .. }));
    a.verdict == b.verdict && !a.subject.is_empty() && (a.subject != b.subject || is_whole)
}

fn key(check: &CheckResult) -> FindingKey {
    // All steps without a snapshot are one finding, because one run records them all. All bodies that are not valid
    // JSON are one finding too, for all requirements that they break.
    let is_missing = check.is_snapshot() && check.mismatch == Some(MismatchKind::Absent);
    let is_json = matches!(check.mismatch, Some(MismatchKind::Json { .. }));
    FindingKey {
        verdict: if is_json { Verdict::Fail } else { check.verdict },
        subject: match is_missing || is_json {
            true => String::new(),
            false => check.subject.as_str().to_owned(),
        },
        mismatch: check.mismatch.clone(),
        part: check.part.clone(),
        pointer: normal_pointer(check).unwrap_or_default(),
    }
}

/// The snapshots whose differences one other check explains, each with that check; both are indices.
fn explained_snapshots(checks: &[CheckResult]) -> BTreeMap<usize, usize> {
    let mut by_exchange: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, check) in checks.iter().enumerate() {
        let number = check.exchange_number();
        if let Some(number) = number.filter(|_| check.is_bad() && !check.is_snapshot()) {
            by_exchange.entry(number).or_default().push(at);
        }
    }
    let mut explained = BTreeMap::new();
    for (at, check) in checks.iter().enumerate() {
        if check.changes.is_empty() || !check.is_bad() {
            continue;
        }
        let others = check.exchange_number().and_then(|number| by_exchange.get(&number));
        let is_whole =
            |by: &&usize| check.changes.iter().all(|change| explains(&checks[**by], change));
        if let Some(by) = others.into_iter().flatten().find(is_whole) {
            explained.insert(at, *by);
        }
    }
    explained
}

fn of_checks(checks: &[CheckResult], key: &FindingKey, mut at: Vec<usize>) -> Finding {
    // A report shows the first of the worst checks in full.
    at.sort_by_key(|at| (Reverse(checks[*at].verdict), *at));
    let first = &checks[at[0]];
    let pointer = first.pointer.as_ref().map(|_| key.pointer.clone());
    finding(checks, first.message.clone(), pointer, at)
}

fn of_changes(checks: &[CheckResult], changes: &[&str], at: Vec<usize>) -> Finding {
    let first = &checks[at[0]];
    // In the order of the response.
    let mut named: Vec<String> = first.changes.iter().map(|change| change.text.clone()).collect();
    named.retain(|text| changes.contains(&text.as_str()));
    let named = first_of(named.into_iter(), CHANGES_NAMED_MAX);
    let message = format!("{}: {}", first.message, named.join(", "));
    finding(checks, message, None, at)
}

fn finding(
    checks: &[CheckResult],
    message: String,
    pointer: Option<String>,
    at: Vec<usize>,
) -> Finding {
    let first = &checks[at[0]];
    Finding {
        verdict: first.verdict,
        subject: first.subject.clone(),
        section: first.section.to_string(),
        message,
        pointer,
        count: at.len(),
        checks: at.iter().map(|at| checks[*at].id()).collect(),
        explains: Vec::new(),
        title: String::new(),
        exchanges: Vec::new(),
        repeat: None,
        script: None,
        at,
        explained_at: Vec::new(),
    }
}

/// The numbers of a section, to sort sections: `4.10` comes after `4.9`.
pub fn section_order(section: &str) -> Vec<u32> {
    section.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::section_order;

    #[test]
    fn sections_are_ordered_by_their_numbers() {
        assert!(section_order("4.9") < section_order("4.10"));
        assert!(section_order("4") < section_order("4.1"));
        assert!(section_order("4.14") < section_order("5"));
    }
}
