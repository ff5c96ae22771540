//! Collects the differences between two runs: each once, in its class, with all places.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{Level, Operation};
use moot_fixtures::questions;

use super::cause::{OpenQuestions, ScenarioPair, by_statuses, spread};
use super::checks::{self, CheckPair};
use super::comparison::{ComparedCounts, DifferenceClass, SideDifference, SkippedComparison};
use super::exchanges::{self, DifferenceCause, DifferencePlace, ResponseDifference};
use super::explain::AnswerChanges;
use super::pairs::paired;
use super::rows::{add_readings, known_failure, undecided, violation};
use super::side::SideRun;
use crate::scenario::ScenarioName;
use crate::verdict::result::{CheckResult, ScenarioResult};
use crate::verdict::{NotRun, NotRunKind, Verdict};

/// Separates scenario and step in a place.
const SEPARATOR: &str = " › ";

#[derive(Default)]
struct Collector {
    /// The differences by class and subject.
    rows: BTreeMap<(DifferenceClass, String), SideDifference>,
    /// The differences between responses, each with its place.
    responses: Vec<(String, ResponseDifference)>,
    not_compared: Vec<SkippedComparison>,
    stopped: Vec<StoppedCheck>,
    /// The sides, each with an operation that only this side violates at some place.
    violated: BTreeSet<(Side, Option<Operation>)>,
    compared: ComparedCounts,
}

/// One of the two sides, for reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::Display)]
enum Side {
    A,
    B,
}

/// A check that did not run on one side, because an earlier valid call failed.
struct StoppedCheck {
    side: Side,
    why: NotRun,
    place: String,
    /// The operation of the valid call.
    operation: Option<Operation>,
}

/// Compares every scenario of both sides. Returns the differences in the order of their classes, the scenarios and
/// checks that were not compared, and the counts.
pub(super) fn collect(
    a: &SideRun,
    b: &SideRun,
    changed: &AnswerChanges,
) -> (Vec<SideDifference>, Vec<SkippedComparison>, ComparedCounts) {
    let (first, second) = (&a.result.scenarios, &b.result.scenarios);
    let pairs = paired(
        first,
        second,
        |scenario: &ScenarioResult| &scenario.name,
        ScenarioName::is_same_scenario,
    );
    let scenario_pairs = pairs.into_iter().map(|(one, other)| {
        let may_stop =
            [one, other].iter().any(|it| it.not_run.is_some() || it.verdict == Verdict::Fail);
        let (first, second) = (a.steps(&one.name), b.steps(&other.name));
        let responses = exchanges::differences(first, second, may_stop);
        ScenarioPair { a: one, b: other, checks: checks::pairs_of(one, other), responses }
    });
    let scenario_pairs: Vec<ScenarioPair<'_>> = scenario_pairs.collect();
    let known = OpenQuestions { changed, by_statuses: by_statuses(&scenario_pairs, changed) };
    let mut collected = Collector::default();
    for scenario_pair in &scenario_pairs {
        collected.compared.scenarios += 1;
        collected.add(scenario_pair, &known);
    }
    collected.add_responses(changed);
    (collected.rows.into_values().collect(), collected.not_compared, collected.compared)
}

impl Collector {
    fn add(&mut self, scenario_pair: &ScenarioPair<'_>, known: &OpenQuestions<'_>) {
        self.compared.exchanges += scenario_pair.responses.compared;
        let mut has_cause = scenario_pair.responses.has_diverged;
        for pair in &scenario_pair.checks {
            self.compared.checks += usize::from(pair.is_judged());
            has_cause |= pair.is_one_sided();
            if pair.violation.is_none() {
                continue;
            }
            match scenario_pair.question_behind(pair, known) {
                Some((id, seen)) => self.add_question(&id, known.changed, seen, &place_of(pair.a)),
                None => self.add_violation(scenario_pair, pair),
            }
        }
        self.not_run(scenario_pair, has_cause);
        for difference in &scenario_pair.responses.differences {
            let cause = scenario_pair.cause(difference, known);
            let place = format!("{}{SEPARATOR}{}", scenario_pair.a.name, difference.step);
            self.responses.push((place, ResponseDifference { cause, ..difference.clone() }));
        }
    }

    /// Adds a violation. If another violation of the same response caused it, it is added to that one.
    fn add_violation(&mut self, scenario_pair: &ScenarioPair<'_>, pair: &CheckPair<'_>) {
        let cause = checks::cause(&scenario_pair.checks, pair);
        let Some(row) = self.violation_row(cause.unwrap_or(pair)) else { return };
        if cause.is_some() {
            add(&mut row.also, pair.a.subject.as_str().to_owned());
        }
    }

    /// The row of a violation, with the place of this pair.
    fn violation_row(&mut self, pair: &CheckPair<'_>) -> Option<&mut SideDifference> {
        let (class, violating) = (pair.violation?, pair.violating()?);
        let side = if class == DifferenceClass::AViolates { Side::A } else { Side::B };
        let operation = violating.exchange.as_ref().and_then(|exchange| exchange.request.operation);
        // A violation of both sides does not explain why only one side refused a call.
        if pair.is_one_sided() {
            self.violated.insert((side, operation));
        }
        let key = (class, violating.subject.as_str().to_owned());
        let row = self.rows.entry(key).or_insert_with(|| violation(class, violating, pair));
        row.verdict = row.verdict.max(Some(violating.verdict));
        // The row is an expected failure only if it is expected at all places.
        if known_failure(class, pair).is_none() {
            row.known = None;
        }
        add(&mut row.places, place_of(pair.a));
        Some(row)
    }

    /// Adds a question that the sides answer differently, with its answers if they are known, else with `seen`.
    fn add_question(
        &mut self,
        id: &str,
        changed: &AnswerChanges,
        seen: (String, String),
        place: &str,
    ) {
        let known = changed.get(id).map(|(a, b)| (a.to_string(), b.to_string()));
        let readings = known.unwrap_or(seen);
        let question = questions::get(id);
        let row =
            self.rows.entry((DifferenceClass::BothAllowed, id.to_owned())).or_insert_with(|| {
                SideDifference {
                    class: DifferenceClass::BothAllowed,
                    section: question.map(|question| question.section.clone()),
                    level: Some(Level::Open),
                    sentence: question.map(|question| question.ask.clone()),
                    message: "the specification leaves it open".to_owned(),
                    ..undecided(id.to_owned(), readings.0.clone(), readings.1.clone())
                }
            });
        if !place.is_empty() {
            add(&mut row.places, place.to_owned());
        }
        if !changed.contains_key(id) {
            add_readings(row, &readings.0, &readings.1);
        }
    }

    /// Adds the scenario or the checks that did not run on one side or on both. After another difference they are
    /// follow-ups.
    fn not_run(&mut self, scenario_pair: &ScenarioPair<'_>, has_cause: bool) {
        let (first, second) = (scenario_pair.a, scenario_pair.b);
        let mut add = |a: Option<NotRun>, b: Option<NotRun>, place: String| match (a, b) {
            (Some(a), Some(b)) => self.neither(&a, &b, &place),
            (Some(why), None) => self.add_stopped(Side::A, why, place, first, has_cause),
            (None, Some(why)) => self.add_stopped(Side::B, why, place, second, has_cause),
            (None, None) => {}
        };
        if first.not_run.is_some() || second.not_run.is_some() {
            return add(first.not_run.clone(), second.not_run.clone(), first.name.to_string());
        }
        let why = |check: &CheckResult| {
            let kind = check.not_run.unwrap_or(NotRunKind::NoAnswer);
            (check.verdict == Verdict::NotRun).then(|| NotRun::new(kind, check.message.clone()))
        };
        for CheckPair { a, b, violation } in &scenario_pair.checks {
            let is_applicable = ![a.verdict, b.verdict].contains(&Verdict::NotApplicable);
            if violation.is_none() && is_applicable {
                add(why(a), why(b), place_of(a));
            }
        }
    }

    fn add_stopped(
        &mut self,
        side: Side,
        why: NotRun,
        place: String,
        scenario: &ScenarioResult,
        has_cause: bool,
    ) {
        let is_stop = matches!(why.kind, NotRunKind::Control | NotRunKind::Precondition);
        if has_cause || !is_stop {
            return self.one_sided(side, &why, &place, has_cause);
        }
        // The failed call is the last call.
        let operation = scenario.exchanges().last().and_then(|exchange| exchange.request.operation);
        self.stopped.push(StoppedCheck { side, why, place, operation });
    }

    fn neither(&mut self, a: &NotRun, b: &NotRun, name: &str) {
        let reason = match a.reason == b.reason {
            true => a.reason.clone(),
            false => format!("A: {}; B: {}", a.reason, b.reason),
        };
        self.leave_out(reason, a.is_tolerated || b.is_tolerated, name);
    }

    fn one_sided(&mut self, side: Side, why: &NotRun, name: &str, has_cause: bool) {
        if why.is_tolerated {
            return self.leave_out(format!("{side}: {}", why.reason), true, name);
        }
        if has_cause {
            self.compared.follow_ups += 1;
            return;
        }
        let subject = format!("not run on {side}: {}", why.reason);
        let row =
            self.rows.entry((DifferenceClass::Undecidable, subject.clone())).or_insert_with(|| {
                let setting = why.setting.as_ref().map(|it| format!("; enable with {it}"));
                let said = format!("not run: {}{}", why.reason, setting.unwrap_or_default());
                let other = "ran".to_owned();
                let (a, b) = match side {
                    Side::A => (said, other),
                    Side::B => (other, said),
                };
                SideDifference {
                    message: "only one side could be asked".to_owned(),
                    ..undecided(subject, a, b)
                }
            });
        add(&mut row.places, name.to_owned());
    }

    fn leave_out(&mut self, reason: String, is_tolerated: bool, name: &str) {
        let same =
            |it: &&mut SkippedComparison| it.reason == reason && it.is_tolerated == is_tolerated;
        match self.not_compared.iter_mut().find(same) {
            Some(known) => add(&mut known.names, name.to_owned()),
            None => {
                self.not_compared.push(SkippedComparison {
                    reason,
                    is_tolerated,
                    names: vec![name.to_owned()],
                });
            }
        }
    }

    /// Adds the stopped checks. If the same side violates the operation of the failed call, they are follow-ups.
    fn add_stopped_checks(&mut self) {
        for stopped in std::mem::take(&mut self.stopped) {
            let StoppedCheck { side, why, place, operation } = stopped;
            let has_cause = self.violated.contains(&(side, operation));
            self.one_sided(side, &why, &place, has_cause);
        }
    }

    /// Adds each difference between responses to the row of its cause, or to a separate row.
    fn add_responses(&mut self, changed: &AnswerChanges) {
        self.add_stopped_checks();
        let mut responses = std::mem::take(&mut self.responses);
        spread(responses.iter_mut().map(|(_, difference)| difference));
        for (place, difference) in &responses {
            match &difference.cause {
                Some(DifferenceCause::Violation) => {}
                Some(DifferenceCause::Question(id)) => {
                    self.add_question(id, changed, difference.named_readings(), place);
                }
                None => self.undecidable(difference, place),
            }
        }
        for id in changed.keys() {
            self.add_question(id, changed, (String::new(), String::new()), "");
        }
    }

    fn undecidable(&mut self, difference: &ResponseDifference, place: &str) {
        let (a, b) = &difference.readings;
        let subject = match &difference.spot {
            DifferencePlace::Status => format!("status {a} or {b} of {}", difference.call),
            DifferencePlace::Header(name) => format!("header {name}"),
            DifferencePlace::Member(member) => format!("member {}", member.join("/")),
        };
        let row = self
            .rows
            .entry((DifferenceClass::Undecidable, subject.clone()))
            .or_insert_with(|| undecided(subject, a.clone(), b.clone()));
        add(&mut row.places, place.to_owned());
        add_readings(row, a, b);
    }
}

fn place_of(check: &CheckResult) -> String {
    format!("{}{SEPARATOR}{}", check.scenario, check.step)
}

fn add(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        CheckPair, CheckResult, Collector, DifferenceClass, NotRun, NotRunKind, Side, StoppedCheck,
    };

    /// A call that only one side refused is a difference, although both sides violate its operation.
    #[test]
    fn a_violation_of_both_sides_explains_no_refusal_of_one() {
        let check: CheckResult = serde_json::from_value(json!({
            "subject": { "requirement": "errors.media-type" }, "section": "7", "level": "stated",
            "verdict": "warn", "scenario": "07_errors/walk", "step": "read", "place": null,
        }))
        .expect("it is a check");
        let pair =
            CheckPair { a: &check, b: &check, violation: Some(DifferenceClass::BothViolate) };
        for side in [Side::A, Side::B] {
            let mut collected = Collector::default();
            collected.violation_row(&pair);
            let why = NotRun::new(NotRunKind::Control, "the target refused the control");
            let place = "07_errors/walk › create".to_owned();
            collected.stopped.push(StoppedCheck { side, why, place, operation: None });
            collected.add_stopped_checks();
            assert_eq!(collected.compared.follow_ups, 0, "{side}");
        }
    }
}
