//! Differences between the responses of a target and of the mock in the same case: other statuses or problem types.
//!
//! They break no requirement, and are never a failure. `moot compare` also compares headers and bodies.

use std::collections::BTreeMap;

use serde_json::Value;

use super::case::act_name;
use crate::exchange::ReceivedResponse;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::Verdict;
use crate::verdict::result::{ScenarioResult, StepResult};

/// The highest number of differences that are kept. Further differences are ignored.
const DIFFERENCES_MAX: usize = 200;

/// All differences, by the name of the step and the description of the difference: the number of steps that showed it,
/// and the scenario of the first.
pub type Differences = BTreeMap<(String, String), (u32, ScenarioName)>;

/// Adds the differences between two runs of one case.
pub(super) fn add(all: &mut Differences, target: &ScenarioResult, model: &ScenarioResult) {
    let models: BTreeMap<(&str, u32), &StepResult> =
        model.steps.iter().map(|step| (without_rows(&step.name), step)).collect();
    for step in &target.steps {
        // A violation is reported as a violation only.
        if matches!(step.verdict, Verdict::Fail | Verdict::Error) {
            continue;
        }
        let Some(twin) = models.get(&without_rows(&step.name)) else { continue };
        let Some(what) = between(step, twin) else { continue };
        let key = (act_name(&step.name.name).to_owned(), what);
        if all.len() < DIFFERENCES_MAX || all.contains_key(&key) {
            all.entry(key).or_insert_with(|| (0, target.name.clone())).0 += 1;
        }
    }
}

/// A step without the ids of its rows, which differ between services.
fn without_rows(name: &StepName) -> (&str, u32) {
    (&name.name, name.repetition)
}

/// Describes how the last responses of two steps differ.
fn between(target: &StepResult, model: &StepResult) -> Option<String> {
    let last = |step: &StepResult| step.exchanges.last()?.outcome.clone().ok();
    let (actual, expected) = (last(target)?, last(model)?);
    // The problem in a shortened body is not known.
    if actual.status == expected.status && (actual.is_cut || expected.is_cut) {
        return None;
    }
    let (actual, expected) = (status_text(&actual), status_text(&expected));
    (actual != expected).then(|| format!("answers {actual}, the model {expected}"))
}

/// The status. For an error, also the type of its problem or the code of its token failure.
fn status_text(response: &ReceivedResponse) -> String {
    if response.status < 400 {
        return response.status.to_string();
    }
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let problem = body.get("type").or_else(|| body.get("error")).and_then(Value::as_str);
    let problem = problem.map(|problem| format!(" {problem}")).unwrap_or_default();
    format!("{}{problem}", response.status)
}

#[cfg(test)]
mod tests {
    use super::without_rows;
    use crate::scenario::StepName;

    #[test]
    fn ids_of_rows_are_no_difference() {
        let rows = ["x7", "y"].map(str::to_owned);
        let name = StepName { repetition: 2, ..StepName::new("get_workflow", &rows) };
        assert_eq!(without_rows(&name), ("get_workflow", 2));
        assert_eq!(without_rows(&StepName::new("a page", &[])), ("a page", 1));
    }
}
