//! Snapshots whose whole difference another check tells of the very same answer: an answer with a
//! wrong status has another body too, and saying so again is noise.

use std::collections::BTreeMap;

use moot_snapshots::{Change, ChangedPlace};

use super::sameness::normal_pointer;
use super::view::Check;

/// Snapshots that differ, each with the check that explains it; both by number. What one check alone does
/// not wholly explain is left out.
pub(super) fn explained(checks: &[Check]) -> BTreeMap<usize, usize> {
    let mut told: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, check) in checks.iter().enumerate() {
        if let Some(exchange) = check.exchange.filter(|_| check.is_bad() && !is_snapshot(check)) {
            told.entry(exchange).or_default().push(at);
        }
    }
    let mut explained = BTreeMap::new();
    for (at, check) in checks.iter().enumerate() {
        if check.changes.is_empty() || !check.is_bad() {
            continue;
        }
        let told = check.exchange.and_then(|exchange| told.get(&exchange)).into_iter().flatten();
        let whole =
            |by: &&usize| check.changes.iter().all(|change| explains(&checks[**by], change));
        if let Some(by) = told.into_iter().find(whole) {
            explained.insert(at, *by);
        }
    }
    explained
}

fn is_snapshot(check: &Check) -> bool {
    check.snapshot.is_some()
}

/// Whether the change is what the check complains of: the same status, the same value of a header, the
/// same member of the body.
fn explains(by: &Check, change: &Change) -> bool {
    let pointer = by.pointer.as_deref().map(normal_pointer);
    match (&change.place, pointer) {
        (ChangedPlace::Status, None) => change.value.as_deref() == Some(by.actual.as_str()),
        (ChangedPlace::Header(_), None) => change.value.as_deref() == Some(by.actual.as_str()),
        (ChangedPlace::Body(place), Some(pointer)) => match place.strip_prefix(&pointer) {
            Some("") => true,
            // A member that is missing, or should not be there, is named by the object around it.
            Some(member) => {
                let member = member.trim_start_matches('/');
                !member.contains('/')
                    && ["'", "\"", "`"]
                        .iter()
                        .any(|quote| by.message.contains(&format!("{quote}{member}{quote}")))
            }
            None => false,
        },
        (ChangedPlace::Status | ChangedPlace::Header(_), Some(_)) => false,
        (ChangedPlace::Body(_), None) => false,
    }
}
