//! Where a target answers unlike the model beside it, without breaking a requirement: shown, grouped,
//! once each; never a failure.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use serde_json::Value;

use crate::exchange::{Exchange, ReceivedResponse};
use crate::result::{ScenarioResult, StepResult};
use crate::verdict::Verdict;

/// Differences that are told apart; more are counted in none.
const DIFFERENCES_MAX: usize = 200;

/// Members whose insides are the client's own.
const FREE: [&str; 2] = ["custom_fields", "additional_data"];

/// One way to differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// What was done: the name of the step.
    pub act: String,
    /// How the answers differ.
    pub what: String,
}

/// How often, and where first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Steps.
    pub times: u32,
    /// The scenario in which it was seen first.
    pub first: String,
}

/// One way to differ, wherever it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike<'a> {
    /// How the answers differ.
    pub what: &'a str,
    /// What was done, in order.
    pub acts: Vec<&'a str>,
    /// Steps, of all acts.
    pub times: u32,
    /// A scenario in which it was seen.
    pub first: &'a str,
}

/// All differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences(pub BTreeMap<Difference, Seen>);

impl Differences {
    /// Adds those between the two walks of one case.
    pub fn add(&mut self, target: &ScenarioResult, model: &ScenarioResult) {
        let models: BTreeMap<String, &StepResult> =
            model.steps.iter().map(|step| (plain(&step.name), step)).collect();
        for step in &target.steps {
            // What breaks a requirement is told as that, and as nothing else.
            if matches!(step.verdict, Verdict::Fail | Verdict::Error) {
                continue;
            }
            let Some(twin) = models.get(&plain(&step.name)) else { continue };
            for what in between(step, twin) {
                let act = act(&step.name);
                self.keep(Difference { act, what }, &target.name);
            }
        }
    }

    /// Each way to differ once, the most frequent first.
    pub fn by_what(&self) -> Vec<Alike<'_>> {
        let mut all: BTreeMap<&str, Alike<'_>> = BTreeMap::new();
        for (Difference { act, what }, seen) in &self.0 {
            let blank = || Alike { what, acts: Vec::new(), times: 0, first: &seen.first };
            let alike = all.entry(what).or_insert_with(blank);
            alike.acts.push(act);
            alike.times += seen.times;
        }
        let mut all: Vec<Alike<'_>> = all.into_values().collect();
        all.sort_by_key(|alike| std::cmp::Reverse(alike.times));
        all
    }

    fn keep(&mut self, difference: Difference, scenario: &str) {
        let is_full = self.0.len() >= DIFFERENCES_MAX;
        match self.0.get_mut(&difference) {
            Some(seen) => seen.times += 1,
            None if is_full => {}
            None => {
                let seen = Seen { times: 1, first: scenario.to_owned() };
                self.0.insert(difference, seen);
            }
        }
    }
}

/// The name of a step without the ids of its rows, which every service draws for itself.
fn plain(name: &str) -> String {
    let mut depth = 0_u32;
    name.chars()
        .filter(|c| {
            depth += u32::from(*c == '[');
            let is_outside = depth == 0;
            depth = depth.saturating_sub(u32::from(*c == ']'));
            is_outside
        })
        .collect()
}

/// The words of a step's name: without its number, and without how often it was there.
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

/// What is not there.
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

/// Members that only one of two bodies has, where the other has the object around them.
fn members_between(ours: &Exchange, theirs: &Exchange) -> Vec<String> {
    // What a form asks for is a matter of the workflow, a file of whoever uploaded it.
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
                if !FREE.contains(&name.as_str()) {
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

    use super::{Difference, Differences, Seen, act, collect, is_inside, plain};

    #[test]
    fn what_is_the_same_in_many_acts_is_one_difference() {
        let mut all = Differences::default();
        for (act, what, times) in [("a", "x", 1), ("a", "y", 2), ("b", "y", 3)] {
            let difference = Difference { act: act.to_owned(), what: what.to_owned() };
            all.0.insert(difference, Seen { times, first: "case-1".to_owned() });
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
