//! Differences: where a target answers unlike the mock without breaking a requirement. Never a failure.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::exchange::{Exchange, ReceivedResponse};
use crate::result::{ScenarioResult, StepResult};
use crate::verdict::Verdict;

/// Differences that are kept. Further ones are ignored.
const DIFFERENCES_MAX: usize = 200;

/// Members whose content belongs to the client.
const CLIENT_MEMBERS: [&str; 2] = ["custom_fields", "additional_data"];

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
            for what in between(step, twin) {
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
fn between(target: &StepResult, model: &StepResult) -> Vec<String> {
    let last = |step: &StepResult| step.exchanges.last().cloned();
    let (Some(ours), Some(theirs)) = (last(target), last(model)) else { return Vec::new() };
    let (Ok(answer), Ok(expected)) = (&ours.outcome, &theirs.outcome) else { return Vec::new() };
    if answer.status != expected.status {
        return vec![format!("answers {}, the model {}", shown(answer), shown(expected))];
    }
    let mut found = Vec::new();
    let (own, other) = (media_type(answer), media_type(expected));
    if own != other {
        found.push(format!("is sent as {own}, by the model as {other}"));
    }
    // An answer to HEAD has no body on the wire (RFC 9110 §9.3.2); in process it has one.
    if ours.request.method == "HEAD" {
        return found;
    }
    let (own, other) = (problem_type(answer), problem_type(expected));
    if own != other && answer.status >= 400 {
        found.push(format!("names the problem {own}, the model {other}"));
    }
    found.extend(members_between(&ours, &theirs));
    found
}

/// The status, and the problem where there is one.
fn shown(answer: &ReceivedResponse) -> String {
    let problem = problem_type(answer);
    if answer.status < 400 || problem == NONE {
        answer.status.to_string()
    } else {
        format!("{} {problem}", answer.status)
    }
}

/// The name of an absent value.
const NONE: &str = "none";

fn problem_type(answer: &ReceivedResponse) -> String {
    let body = answer.json.as_deref();
    let text = body.and_then(|body| body.get("type").or_else(|| body.get("error"))?.as_str());
    text.unwrap_or(NONE).to_owned()
}

fn media_type(answer: &ReceivedResponse) -> String {
    let whole = answer.header("content-type").unwrap_or(NONE);
    whole.split(';').next().unwrap_or(whole).trim().to_ascii_lowercase()
}

/// Members that only one of two bodies has, although the other has the object around them.
fn members_between(ours: &Exchange, theirs: &Exchange) -> Vec<String> {
    // A form depends on the workflow, and a file on its uploader.
    if matches!(
        ours.request.operation,
        Some(Operation::GetWorkflowSchema | Operation::DownloadAgreement)
    ) {
        return Vec::new();
    }
    let members = |exchange: &Exchange| {
        let mut found = BTreeSet::new();
        if let Ok(answer) = &exchange.outcome
            && let Some(body) = answer.json.as_deref()
        {
            collect(body, "", &mut found);
        }
        found
    };
    let (own, other) = (members(ours), members(theirs));
    let only = |these: &BTreeSet<String>, those: &BTreeSet<String>, verb: &str| {
        let is_new = |path: &&String| {
            let around = path.rsplit_once('/').map_or("", |(around, _)| around);
            !those.contains(*path) && those.iter().any(|it| is_inside(it, around))
        };
        these.iter().filter(is_new).map(|path| format!("{verb} {path}")).collect::<Vec<_>>()
    };
    let mut found = only(&own, &other, "has the member");
    found.extend(only(&other, &own, "lacks the member"));
    found
}

fn is_inside(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.starts_with('/'))
}

/// Pointers of all members, with `*` for every item of a list.
fn collect(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let inner = format!("{path}/{name}");
                if !CLIENT_MEMBERS.contains(&name.as_str()) {
                    collect(member, &inner, found);
                }
                found.insert(inner);
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| collect(item, &format!("{path}/*"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{Differences, MockDifference, Occurrences, act, collect, is_inside, plain};

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

    #[test]
    fn members_are_told_without_places_in_lists_and_without_free_ones() {
        let mut found = BTreeSet::new();
        collect(
            &json!({ "data": [{ "a": 1, "custom_fields": { "x": 1 } }, { "b": [] }] }),
            "",
            &mut found,
        );
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["/data", "/data/*/a", "/data/*/b", "/data/*/custom_fields"]);
        assert!(is_inside("/data/*/a", "/data/*"));
        assert!(!is_inside("/data", "/data"));
        assert!(!is_inside("/database", "/data"));
    }
}
