//! Differences between the responses of a target and of the mock in the same case: other statuses or problem types.
//!
//! They break no requirement, and are never a failure. `moot compare` also compares headers and bodies.

use std::collections::BTreeMap;

use super::case::act_name;
use crate::exchange::ReceivedResponse;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::Verdict;
use crate::verdict::result::{ScenarioResult, StepResult};

/// The highest number of differences that are kept. Further differences are ignored.
const DIFFERENCES_MAX: usize = 200;

/// One difference, with the steps that showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MockDifference {
    /// The name of the step.
    pub act: String,
    /// Describes how the responses differ.
    pub what: String,
    /// The number of steps that showed it.
    pub times: u32,
    /// The scenario of the first of these steps.
    pub first: String,
}

/// The same difference in several acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceGroup<'a> {
    /// Describes how the responses differ.
    pub what: &'a str,
    /// The names of the steps, in order.
    pub acts: Vec<&'a str>,
    /// The number of steps of all acts.
    pub times: u32,
    /// A scenario that showed it.
    pub first: &'a str,
}

/// All differences, in the order of [`MockDifference::act`] and [`MockDifference::what`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences(pub Vec<MockDifference>);

impl Differences {
    /// Adds the differences between two runs of one case.
    pub fn add(&mut self, target: &ScenarioResult, model: &ScenarioResult) {
        let models: BTreeMap<(&str, u32), &StepResult> =
            model.steps.iter().map(|step| (without_rows(&step.name), step)).collect();
        for step in &target.steps {
            // A violation is reported as a violation only.
            if matches!(step.verdict, Verdict::Fail | Verdict::Error) {
                continue;
            }
            let Some(twin) = models.get(&without_rows(&step.name)) else { continue };
            if let Some(what) = between(step, twin) {
                self.keep(act_name(&step.name.name).to_owned(), what, &target.name);
            }
        }
    }

    /// Differences grouped over their acts, the most frequent first.
    pub fn by_what(&self) -> Vec<DifferenceGroup<'_>> {
        let mut all: BTreeMap<&str, DifferenceGroup<'_>> = BTreeMap::new();
        for MockDifference { act, what, times, first } in &self.0 {
            let blank = || DifferenceGroup { what, acts: Vec::new(), times: 0, first };
            let group = all.entry(what).or_insert_with(blank);
            group.acts.push(act);
            group.times += times;
        }
        let mut all: Vec<DifferenceGroup<'_>> = all.into_values().collect();
        all.sort_by_key(|group| std::cmp::Reverse(group.times));
        all
    }

    fn keep(&mut self, act: String, what: String, scenario: &ScenarioName) {
        let place = self.0.binary_search_by(|it| (&it.act, &it.what).cmp(&(&act, &what)));
        match place {
            Ok(at) => self.0[at].times += 1,
            Err(_) if self.0.len() >= DIFFERENCES_MAX => {}
            Err(at) => {
                let first = scenario.to_string();
                self.0.insert(at, MockDifference { act, what, times: 1, first });
            }
        }
    }
}

/// A step without the ids of its rows, which differ between services.
fn without_rows(name: &StepName) -> (&str, u32) {
    (&name.name, name.repetition)
}

/// Describes how the last responses of two steps differ.
fn between(target: &StepResult, model: &StepResult) -> Option<String> {
    let last = |step: &StepResult| step.exchanges.last()?.outcome.as_ref().ok().map(status_text);
    let (actual, expected) = (last(target)?, last(model)?);
    (actual != expected).then(|| format!("answers {actual}, the model {expected}"))
}

/// The status. For an error, also the type of its problem or the code of its token failure.
fn status_text(response: &ReceivedResponse) -> String {
    let body = response.json.as_deref().filter(|_| response.status >= 400);
    let problem = body.and_then(|body| body.get("type").or_else(|| body.get("error"))?.as_str());
    let problem = problem.map(|problem| format!(" {problem}")).unwrap_or_default();
    format!("{}{problem}", response.status)
}

#[cfg(test)]
mod tests {
    use super::{Differences, without_rows};
    use crate::scenario::{ScenarioName, StepName};

    #[test]
    fn the_same_in_many_acts_is_one_difference() {
        let mut all = Differences::default();
        for (act, what, times) in [("a", "y", 2), ("b", "y", 3), ("a", "x", 1)] {
            for _ in 0..times {
                all.keep(act.to_owned(), what.to_owned(), &ScenarioName::new("explored", "case-1"));
            }
        }
        let sorted: Vec<_> = all.0.iter().map(|it| (it.act.as_str(), it.what.as_str())).collect();
        assert_eq!(sorted, [("a", "x"), ("a", "y"), ("b", "y")]);
        let grouped = all.by_what();
        let shown: Vec<_> = grouped.iter().map(|it| (it.what, it.acts.clone(), it.times)).collect();
        assert_eq!(shown, [("y", vec!["a", "b"], 5), ("x", vec!["a"], 1)]);
    }

    #[test]
    fn ids_of_rows_are_no_difference() {
        let name = |text| StepName::from(text);
        assert_eq!(without_rows(&name("get_workflow[x7][y] #2")), ("get_workflow", 2));
        assert_eq!(without_rows(&name("a page")), ("a page", 1));
    }
}
