//! Pairs of the same check in two runs.

use super::comparison::DifferenceClass;
use super::pairs::paired;
use crate::scenario::StepName;
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, ScenarioResult, StepResult};

/// The same check at the same step of both sides.
pub(super) struct CheckPair<'a> {
    pub(super) a: &'a CheckResult,
    pub(super) b: &'a CheckResult,
    /// The sides that violate; `None` if neither check fails or warns.
    pub(super) violation: Option<DifferenceClass>,
}

impl<'a> CheckPair<'a> {
    fn new(a: &'a CheckResult, b: &'a CheckResult) -> Self {
        let violation = match (a.verdict.is_violation(), b.verdict.is_violation()) {
            (true, true) => Some(DifferenceClass::BothViolate),
            (true, false) => Some(DifferenceClass::AViolates),
            (false, true) => Some(DifferenceClass::BViolates),
            (false, false) => None,
        };
        Self { a, b, violation }
    }

    /// The check that fails or warns. If both do, the check of the first side.
    pub(super) fn violating(&self) -> Option<&'a CheckResult> {
        Some(if self.violation? == DifferenceClass::BViolates { self.b } else { self.a })
    }

    /// Whether only one side violates.
    pub(super) fn is_one_sided(&self) -> bool {
        matches!(self.violation, Some(DifferenceClass::AViolates | DifferenceClass::BViolates))
    }

    /// Whether both checks gave a verdict on a response.
    pub(super) fn is_judged(&self) -> bool {
        let is_open = |verdict| matches!(verdict, Verdict::NotRun | Verdict::NotApplicable);
        self.violation.is_some() || !is_open(self.a.verdict) && !is_open(self.b.verdict)
    }
}

/// The pairs of checks of one scenario.
pub(super) fn pairs_of<'a>(a: &'a ScenarioResult, b: &'a ScenarioResult) -> Vec<CheckPair<'a>> {
    let steps = paired(&a.steps, &b.steps, |step: &StepResult| &step.name, StepName::is_same_step);
    let mut all = Vec::new();
    for (one, other) in steps {
        for check in &one.checks {
            let same = |it: &&CheckResult| {
                it.subject == check.subject && it.place.is_none() == check.place.is_none()
            };
            all.extend(other.checks.iter().find(same).map(|it| CheckPair::new(check, it)));
        }
        // The other side may have no response for an implicit check.
        all.extend(alone(&one.checks, &other.checks, DifferenceClass::AViolates));
        all.extend(alone(&other.checks, &one.checks, DifferenceClass::BViolates));
    }
    all
}

/// The violation that causes this one: the same response has an unexpected status, so its other expectations fail too.
/// An expected failure has no cause.
pub(super) fn cause<'a, 'b>(
    all: &'b [CheckPair<'a>],
    pair: &CheckPair<'a>,
) -> Option<&'b CheckPair<'a>> {
    let of_scenario = |it: &CheckPair<'a>| {
        it.violating()
            .filter(|_| it.is_one_sided())
            .filter(|it| it.place.is_some() && it.known.is_none() && it.verdict == Verdict::Fail)
    };
    let follower = of_scenario(pair)?;
    let number = follower.exchange_number()?;
    let is_cause = |it: &&CheckPair<'a>| {
        it.violation == pair.violation
            && of_scenario(it).is_some_and(|check| {
                check.is_of_status() && check.exchange_number() == Some(number)
            })
    };
    let cause = all.iter().find(is_cause)?;
    (of_scenario(cause)?.subject != follower.subject).then_some(cause)
}

/// Violations without a check on the other side.
fn alone<'a>(
    checks: &'a [CheckResult],
    others: &'a [CheckResult],
    class: DifferenceClass,
) -> impl Iterator<Item = CheckPair<'a>> {
    let is_alone = |check: &&CheckResult| {
        check.verdict.is_violation() && !others.iter().any(|it| it.subject == check.subject)
    };
    let alone = checks.iter().filter(is_alone);
    alone.map(move |check| CheckPair { a: check, b: check, violation: Some(class) })
}
