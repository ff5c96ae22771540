//! Expected failures while exploring. An entry that names a scenario of a suite applies to no drawn case. An entry that
//! did not happen may happen in other cases. Neither is drift.

use crate::verdict::expected::{ExpectedEntry, ExpectedId};
use crate::verdict::result::{ExpectedFailure, ExpectedState};

/// The expected failures with their states for exploring. `entries` has them as in the file, in the same order.
pub(super) fn for_drawn_cases(
    expected: Vec<ExpectedFailure>,
    entries: &[ExpectedEntry],
) -> Vec<ExpectedFailure> {
    expected.into_iter().zip(entries).map(|(one, entry)| for_drawn_case(one, entry)).collect()
}

fn for_drawn_case(one: ExpectedFailure, entry: &ExpectedEntry) -> ExpectedFailure {
    let names_scenario = match &entry.id {
        ExpectedId::RequirementIn { requirement, .. } => Some(format!("`{requirement}` alone")),
        ExpectedId::Scenarios(_) => Some("a requirement alone".to_owned()),
        ExpectedId::Requirement(_) => None,
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
