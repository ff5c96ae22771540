//! Marks known failures in the result of a run, and finds those that did not happen.

use std::collections::BTreeMap;

use moot_fixtures::answers;
use serde_json::Value;

use super::entry::{Condition, ExpectedEntry, ExpectedFailures, ExpectedOutcome};
use crate::exchange::{ObservedAnswer, by_question};
use crate::verdict::Verdict;
use crate::verdict::result::{
    CheckResult, ExpectedFailure, ExpectedState, KnownFailure, ScenarioResult, Subject,
};

/// Marks every check and scenario with the outcome that an entry expects, and those that were not run
/// because of it. `meets` says whether the target meets a need. Returns the entries with their state, in
/// the order of the file.
pub fn apply(
    expected: &ExpectedFailures,
    scenarios: &mut [ScenarioResult],
    meets: &dyn Fn(&str) -> bool,
) -> Vec<ExpectedFailure> {
    let answers = by_question(scenarios.iter().flat_map(|it| &it.answers));
    let one = |entry: &ExpectedEntry| {
        let condition = entry.condition.as_ref();
        apply_one(entry, scenarios, condition.and_then(|it| unmet(it, meets, &answers)))
    };
    expected.entries.iter().map(one).collect()
}

fn apply_one(
    entry: &ExpectedEntry,
    scenarios: &mut [ScenarioResult],
    unmet: Option<String>,
) -> ExpectedFailure {
    let mut found = EntryMatches::default();
    if unmet.is_none() {
        let named = scenarios.iter_mut().filter(|one| entry.id.names_scenario(&one.name));
        named.for_each(|scenario| found.add(entry, scenario));
    }
    let state = match &unmet {
        Some(_) => ExpectedState::Inapplicable,
        None if !found.names.is_empty() => ExpectedState::Happened,
        None if found.others > 0 => ExpectedState::Stale,
        None => ExpectedState::Unjudged,
    };
    ExpectedFailure {
        id: entry.id.to_string(),
        outcome: entry.outcome.verdict(),
        reason: entry.reason.clone(),
        expires: entry.expires.clone(),
        state,
        note: unmet,
        names: found.names,
    }
}

/// The scenarios and checks that an entry is about.
#[derive(Default)]
struct EntryMatches {
    /// Those with the expected outcome.
    names: Vec<String>,
    /// The number of those with another outcome.
    others: usize,
}

impl EntryMatches {
    fn add(&mut self, entry: &ExpectedEntry, scenario: &mut ScenarioResult) {
        let known = || KnownFailure { id: entry.id.to_string(), reason: entry.reason.clone() };
        let happened_before = self.names.len();
        let others_before = self.others;
        if entry.outcome == ExpectedOutcome::NotRun && entry.id.requirement().is_none() {
            match scenario.not_run {
                Some(_) => {
                    self.names.push(scenario.name.to_string());
                    scenario.known.get_or_insert_with(known);
                }
                None if scenario.verdict == Verdict::NotApplicable => {}
                None => self.others += 1,
            }
        }
        for check in scenario.steps.iter_mut().flat_map(|step| &mut step.checks) {
            if !is_about(entry, check) {
                continue;
            }
            if check.verdict == entry.outcome.verdict() {
                self.names.push(check.id());
                check.known.get_or_insert_with(|| Box::new(known()));
            } else if contradicts(entry.outcome, check.verdict) {
                self.others += 1;
            }
        }
        if entry.id.requirement().is_none()
            && entry.outcome != ExpectedOutcome::NotRun
            && is_unjudged(scenario)
        {
            // A check that was not run may be the one that would have failed.
            self.others = others_before;
        }
        if entry.outcome == ExpectedOutcome::Fail && self.names.len() > happened_before {
            mark_unjudged(scenario, &known());
        }
        update_verdicts(scenario);
    }
}

/// Whether the scenario, or one of its checks, was not judged.
fn is_unjudged(scenario: &ScenarioResult) -> bool {
    scenario.not_run.is_some() || scenario.checks().any(|check| check.verdict == Verdict::NotRun)
}

fn is_about(entry: &ExpectedEntry, check: &CheckResult) -> bool {
    match (entry.id.requirement(), &check.subject) {
        (None, _) => true,
        (Some(requirement), Subject::Requirement(id)) => requirement == id,
        (Some(_), Subject::Question(_) | Subject::Snapshot(_)) => false,
    }
}

/// Whether a verdict shows that the expected failure did not happen. A check that was not judged shows
/// nothing.
fn contradicts(outcome: ExpectedOutcome, verdict: Verdict) -> bool {
    match verdict {
        Verdict::NotApplicable => false,
        Verdict::NotRun => outcome == ExpectedOutcome::NotRun,
        Verdict::Pass
        | Verdict::Observed
        | Verdict::Warn
        | Verdict::Drift
        | Verdict::Fail
        | Verdict::Error => true,
    }
}

/// Marks the checks that were not judged, because a known failure may stop the rest of its scenario. If
/// a request of the scenario has no response, that may be the reason instead, and nothing is marked.
fn mark_unjudged(scenario: &mut ScenarioResult, known: &KnownFailure) {
    if scenario.exchanges().any(|exchange| exchange.outcome.is_err()) {
        return;
    }
    for check in scenario.steps.iter_mut().flat_map(|step| &mut step.checks) {
        if check.verdict == Verdict::NotRun {
            check.known.get_or_insert_with(|| Box::new(known.clone()));
        }
    }
    if scenario.not_run.is_some() {
        scenario.known.get_or_insert_with(|| known.clone());
    }
}

/// Updates the verdicts of the scenario and its steps, in which a known failure counts less.
fn update_verdicts(scenario: &mut ScenarioResult) {
    for step in &mut scenario.steps {
        step.verdict = Verdict::worst(step.checks.iter().map(CheckResult::weight));
    }
    let steps = Verdict::worst(scenario.steps.iter().map(|step| step.verdict));
    scenario.verdict = match scenario.verdict {
        Verdict::Error => Verdict::Error,
        Verdict::Fail | Verdict::Drift | Verdict::NotRun => {
            let is_stopped = scenario.not_run.is_some()
                && (scenario.known.is_none() || steps == Verdict::NotApplicable);
            if is_stopped { steps.max(Verdict::NotRun) } else { steps }
        }
        other => other,
    };
}

/// The reason why a condition does not hold. `None` if it holds.
fn unmet(
    condition: &Condition,
    meets: &dyn Fn(&str) -> bool,
    seen_answers: &BTreeMap<String, ObservedAnswer>,
) -> Option<String> {
    if let Some(need) = condition.needs.iter().find(|need| !meets(need)) {
        return Some(format!("the target does not meet the need `{need}`"));
    }
    if let Some(need) = condition.lacks.iter().find(|need| meets(need)) {
        return Some(format!("the target meets the need `{need}`"));
    }
    condition.answer.iter().find_map(|(id, wanted)| {
        let Some(seen) = seen_answers.get(id) else {
            return Some(format!("no answer to `{id}` was seen"));
        };
        let is_wanted =
            |value: &Value| value == wanted || answers::imitate(id, value).as_ref() == Some(wanted);
        let was_seen = answers::merge(id, &seen.answers).answer.as_ref() == Some(wanted)
            || seen.answers.iter().any(|(value, _)| is_wanted(value));
        (!was_seen).then(|| format!("the answer to `{id}` is not {wanted}"))
    })
}
