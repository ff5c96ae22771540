//! Expected failures while exploring. Cases are drawn. So an entry that names a scenario of a suite applies
//! to none of them, and an entry that did not happen may only not have been drawn. Neither is drift.

use crate::verdict::expected::ExpectedEntry;
use crate::verdict::result::{ExpectedFailure, ExpectedState};

/// The state of each entry for exploring. `entries` are the entries as read, in the same order.
pub(super) fn for_drawn_cases(
    expected: Vec<ExpectedFailure>,
    entries: &[ExpectedEntry],
) -> Vec<ExpectedFailure> {
    expected.into_iter().zip(entries).map(|(one, entry)| for_drawn_case(one, entry)).collect()
}

fn for_drawn_case(one: ExpectedFailure, entry: &ExpectedEntry) -> ExpectedFailure {
    let names_scenario = match entry.parts() {
        (Some(_), Some(requirement)) => Some(format!("`{requirement}` alone")),
        (Some(_), None) => Some("a requirement alone".to_owned()),
        (None, _) => None,
    };
    let note = match (one.state, names_scenario) {
        (ExpectedState::Happened | ExpectedState::Inapplicable, _) => return one,
        (ExpectedState::Unjudged, Some(instead)) => {
            format!("it names a scenario, and cases are drawn; {instead} is expected here too")
        }
        (ExpectedState::Stale | ExpectedState::Unjudged, _) => {
            "no case showed it, which is not drift here: other cases may".to_owned()
        }
    };
    ExpectedFailure { state: ExpectedState::Inapplicable, note: Some(note), ..one }
}
