//! Known failures while exploring. Cases are drawn, so that an entry that names a scenario of a suite
//! is about none of them, and one that did not happen may only not have been drawn: neither is drift.

use crate::expected::Entry;
use crate::result::{ExpectedFailure, ExpectedState};

/// No case showed it, and none had to.
const NOT_DRAWN: &str = "no case showed it, which is no drift here: other cases may";

/// What became of each entry, in the words of exploring; `entries` as they were read, in the same order.
pub(super) fn told(expected: Vec<ExpectedFailure>, entries: &[Entry]) -> Vec<ExpectedFailure> {
    expected.into_iter().zip(entries).map(|(one, entry)| told_one(one, entry)).collect()
}

fn told_one(one: ExpectedFailure, entry: &Entry) -> ExpectedFailure {
    let note = match (one.state, entry.parts()) {
        (ExpectedState::Happened | ExpectedState::Inapplicable, _) => return one,
        (ExpectedState::Unjudged, (Some(_), Some(requirement))) => format!(
            "it names a scenario, and cases are drawn; `{requirement}` alone is expected here too"
        ),
        (ExpectedState::Unjudged, (Some(_), None)) => {
            "it names a scenario, and cases are drawn; a requirement alone is expected here too"
                .to_owned()
        }
        (ExpectedState::Stale | ExpectedState::Unjudged, _) => NOT_DRAWN.to_owned(),
    };
    ExpectedFailure { state: ExpectedState::Inapplicable, note: Some(note), ..one }
}
