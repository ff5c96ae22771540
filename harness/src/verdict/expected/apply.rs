//! Marking what was expected in the result of a run, and finding what was expected and did not happen.

use std::collections::BTreeMap;

use moot_fixtures::answers;
use serde_json::Value;

use super::entry::{Condition, Expected, ExpectedEntry, ExpectedOutcome};
use crate::exchange::ObservedAnswer;
use crate::verdict::Verdict;
use crate::verdict::result::{
    CheckResult, ExpectedFailure, ExpectedState, KnownFailure, ScenarioResult, Subject,
};

/// What conditions are about.
pub struct Circumstances<'a> {
    /// Whether the target meets a need.
    pub meets: &'a dyn Fn(&str) -> bool,
    /// What the run saw of open questions.
    pub answers: &'a BTreeMap<String, ObservedAnswer>,
}

/// Marks every check and scenario that did what an entry expects of it, and what was not run in
/// consequence. Returns what became of each entry, in the order of the file.
pub fn apply(
    expected: &Expected,
    scenarios: &mut [ScenarioResult],
    circumstances: &Circumstances<'_>,
) -> Vec<ExpectedFailure> {
    expected.entries.iter().map(|entry| apply_one(entry, scenarios, circumstances)).collect()
}

fn apply_one(
    entry: &ExpectedEntry,
    scenarios: &mut [ScenarioResult],
    circumstances: &Circumstances<'_>,
) -> ExpectedFailure {
    let unmet = entry.condition.as_ref().and_then(|condition| unmet(condition, circumstances));
    let mut found = EntryMatches::default();
    if unmet.is_none() {
        let named = scenarios.iter_mut().filter(|one| entry.names_scenario(&one.name));
        named.for_each(|scenario| found.look(entry, scenario));
    }
    let state = match &unmet {
        Some(_) => ExpectedState::Inapplicable,
        None if !found.names.is_empty() => ExpectedState::Happened,
        None if found.others > 0 => ExpectedState::Stale,
        None => ExpectedState::Unjudged,
    };
    ExpectedFailure {
        id: entry.id.clone(),
        outcome: entry.outcome.verdict(),
        reason: entry.reason.clone(),
        expires: entry.expires.map(|day| day.to_string()),
        state,
        note: unmet,
        names: found.names,
    }
}

/// What an entry met in a run.
#[derive(Default)]
struct EntryMatches {
    /// Scenarios and checks that did what was expected.
    names: Vec<String>,
    /// How many did something else.
    others: usize,
}

impl EntryMatches {
    fn look(&mut self, entry: &ExpectedEntry, scenario: &mut ScenarioResult) {
        let known = || KnownFailure { id: entry.id.clone(), reason: entry.reason.clone() };
        let happened_before = self.names.len();
        let others_before = self.others;
        if entry.outcome == ExpectedOutcome::NotRun && entry.is_about_scenarios() {
            match scenario.not_run {
                Some(_) => {
                    self.names.push(scenario.name.clone());
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
            } else if says_otherwise(entry.outcome, check.verdict) {
                self.others += 1;
            }
        }
        if entry.is_about_scenarios()
            && entry.outcome != ExpectedOutcome::NotRun
            && is_unjudged(scenario)
        {
            // What would have failed may be what was not run.
            self.others = others_before;
        }
        if entry.outcome == ExpectedOutcome::Fail && self.names.len() > happened_before {
            excuse_what_it_stopped(scenario, &known());
        }
        weigh(scenario);
    }
}

/// Whether something of it was not judged.
fn is_unjudged(scenario: &ScenarioResult) -> bool {
    let mut checks = scenario.steps.iter().flat_map(|step| &step.checks);
    scenario.not_run.is_some() || checks.any(|check| check.verdict == Verdict::NotRun)
}

fn is_about(entry: &ExpectedEntry, check: &CheckResult) -> bool {
    match (entry.parts().1, &check.subject) {
        (None, _) => true,
        (Some(requirement), Subject::Requirement(id)) => requirement == id,
        (Some(_), Subject::Question(_) | Subject::Snapshot(_)) => false,
    }
}

/// Whether a verdict shows that what was expected did not happen. What was not judged shows nothing.
fn says_otherwise(outcome: ExpectedOutcome, verdict: Verdict) -> bool {
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

/// A failure may stop what comes after it in its scenario; only trouble of the network, or a call
/// that was withheld, stops it for another reason.
fn excuse_what_it_stopped(scenario: &mut ScenarioResult, known: &KnownFailure) {
    let mut exchanges = scenario.steps.iter().flat_map(|step| &step.exchanges);
    if exchanges.any(|exchange| exchange.outcome.is_err()) {
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

/// The verdicts of the parents anew: what is expected weighs less.
fn weigh(scenario: &mut ScenarioResult) {
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

/// Why a condition does not hold; `None` where it holds.
fn unmet(condition: &Condition, circumstances: &Circumstances<'_>) -> Option<String> {
    let lacking = condition.needs.iter().find(|need| !(circumstances.meets)(need));
    if let Some(need) = lacking {
        return Some(format!("the target does not meet the need `{need}`"));
    }
    let met = condition.lacks.iter().find(|need| (circumstances.meets)(need));
    if let Some(need) = met {
        return Some(format!("the target meets the need `{need}`"));
    }
    condition.answer.iter().find_map(|(id, wanted)| {
        let Some(seen) = circumstances.answers.get(id) else {
            return Some(format!("no answer to `{id}` was seen"));
        };
        let is_wanted =
            |value: &Value| value == wanted || answers::imitate(id, value).as_ref() == Some(wanted);
        let was_seen = answers::settle(id, &seen.answers).answer.as_ref() == Some(wanted)
            || seen.answers.iter().any(|(value, _)| is_wanted(value));
        (!was_seen).then(|| format!("the answer to `{id}` is not {wanted}"))
    })
}
