//! Differences between the statuses and problems of a target and of the mock in the same case.
//!
//! They break no requirement, and are never a failure. `moot compare` compares headers and bodies too.

use std::collections::BTreeMap;

use crate::exchange::ReceivedResponse;
use crate::verdict::Verdict;
use crate::verdict::result::{ScenarioResult, StepResult};

/// Differences that are kept. Further ones are ignored.
const DIFFERENCES_MAX: usize = 200;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MockDifference {
    /// The name of the step.
    pub act: String,
    /// How the answers differ.
    pub what: String,
}

/// The steps that showed a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrences {
    /// How many.
    pub times: u32,
    /// The scenario of the first.
    pub first: String,
}

/// The same difference in several acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceGroup<'a> {
    /// How the answers differ.
    pub what: &'a str,
    /// The names of the steps, in order.
    pub acts: Vec<&'a str>,
    /// Steps of all acts.
    pub times: u32,
    /// A scenario that showed it.
    pub first: &'a str,
}

/// All differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences(pub BTreeMap<MockDifference, Occurrences>);

impl Differences {
    /// Adds the differences between two runs of one case.
    pub fn add(&mut self, target: &ScenarioResult, model: &ScenarioResult) {
        let models: BTreeMap<String, &StepResult> =
            model.steps.iter().map(|step| (plain(&step.name), step)).collect();
        for step in &target.steps {
            // A violation is reported as a violation only.
            if matches!(step.verdict, Verdict::Fail | Verdict::Error) {
                continue;
            }
            let Some(twin) = models.get(&plain(&step.name)) else { continue };
            if let Some(what) = between(step, twin) {
                let act = act(&step.name);
                self.keep(MockDifference { act, what }, &target.name);
            }
        }
    }

    /// Differences grouped over their acts, the most frequent first.
    pub fn by_what(&self) -> Vec<DifferenceGroup<'_>> {
        let mut all: BTreeMap<&str, DifferenceGroup<'_>> = BTreeMap::new();
        for (MockDifference { act, what }, found) in &self.0 {
            let blank =
                || DifferenceGroup { what, acts: Vec::new(), times: 0, first: &found.first };
            let group = all.entry(what).or_insert_with(blank);
            group.acts.push(act);
            group.times += found.times;
        }
        let mut all: Vec<DifferenceGroup<'_>> = all.into_values().collect();
        all.sort_by_key(|group| std::cmp::Reverse(group.times));
        all
    }

    fn keep(&mut self, difference: MockDifference, scenario: &str) {
        let is_full = self.0.len() >= DIFFERENCES_MAX;
        match self.0.get_mut(&difference) {
            Some(found) => found.times += 1,
            None if is_full => {}
            None => {
                let found = Occurrences { times: 1, first: scenario.to_owned() };
                self.0.insert(difference, found);
            }
        }
    }
}

/// The name of a step without the ids of its rows in brackets, which differ between services.
fn plain(name: &str) -> String {
    let parts = name.split('[').enumerate();
    let outside = |(index, part): (usize, &str)| match index {
        0 => part.to_owned(),
        _ => part.split_once(']').map(|(_, rest)| rest).unwrap_or_default().to_owned(),
    };
    parts.map(outside).collect()
}

/// The name of an act: a step's name without its number and without the counter of repeated steps.
fn act(name: &str) -> String {
    let name = plain(name);
    let words = name.split_once(". ").map_or(name.as_str(), |(_, words)| words);
    words.split(" #").next().unwrap_or(words).to_owned()
}

/// How the last answers of two steps differ.
fn between(target: &StepResult, model: &StepResult) -> Option<String> {
    let last = |step: &StepResult| step.exchanges.last()?.outcome.as_ref().ok().map(shown);
    let (answer, expected) = (last(target)?, last(model)?);
    (answer != expected).then(|| format!("answers {answer}, the model {expected}"))
}

/// The status. For an error also the type of its problem, or the code of a token failure.
fn shown(answer: &ReceivedResponse) -> String {
    let body = answer.json.as_deref().filter(|_| answer.status >= 400);
    let problem = body.and_then(|body| body.get("type").or_else(|| body.get("error"))?.as_str());
    let problem = problem.map(|problem| format!(" {problem}")).unwrap_or_default();
    format!("{}{problem}", answer.status)
}

#[cfg(test)]
mod tests {
    use super::{Differences, MockDifference, Occurrences, act, plain};

    #[test]
    fn the_same_in_many_acts_is_one_difference() {
        let mut all = Differences::default();
        for (act, what, times) in [("a", "x", 1), ("a", "y", 2), ("b", "y", 3)] {
            let difference = MockDifference { act: act.to_owned(), what: what.to_owned() };
            all.0.insert(difference, Occurrences { times, first: "case-1".to_owned() });
        }
        let grouped = all.by_what();
        let shown: Vec<_> = grouped.iter().map(|it| (it.what, it.acts.clone(), it.times)).collect();
        assert_eq!(shown, [("y", vec!["a", "b"], 5), ("x", vec!["a"], 1)]);
    }

    #[test]
    fn ids_of_rows_are_no_difference() {
        assert_eq!(plain("get_workflow[x7][y] #2"), "get_workflow #2");
        assert_eq!(plain("a page"), "a page");
        assert_eq!(act("3. a page[x7] #2"), "a page");
    }
}
