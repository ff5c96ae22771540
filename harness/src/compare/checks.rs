//! Pairs of checks of the same thing in two runs.

use super::pairs::paired;
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, ScenarioResult, StepResult};

/// How the verdicts of a pair compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairVerdict {
    /// Both pass, or both only observe.
    Same,
    /// Only the first fails or warns.
    AViolates,
    /// Only the second fails or warns.
    BViolates,
    /// Both fail or warn.
    BothViolate,
    /// The first did not run.
    ANotRun,
    /// The second did not run.
    BNotRun,
    /// Neither ran.
    NeitherRun,
    /// One side was not applicable.
    NotApplicable,
}

/// Two checks of the same thing at the same step.
pub(super) struct CheckPair<'a> {
    pub(super) a: &'a CheckResult,
    pub(super) b: &'a CheckResult,
    pub(super) verdict: PairVerdict,
}

/// The pairs of checks of one scenario.
pub(super) fn pairs_of<'a>(a: &'a ScenarioResult, b: &'a ScenarioResult) -> Vec<CheckPair<'a>> {
    let steps = paired(&a.steps, &b.steps, |step: &StepResult| step.name.as_str());
    let mut all = Vec::new();
    for (one, other) in steps {
        for check in &one.checks {
            let same = |it: &&CheckResult| {
                it.subject == check.subject && it.place.is_none() == check.place.is_none()
            };
            if let Some(partner) = other.checks.iter().find(same) {
                let verdict = pair_verdict(check.verdict, partner.verdict);
                all.push(CheckPair { a: check, b: partner, verdict });
            }
        }
        // An implicit check needs an answer, which the other side may not have.
        all.extend(alone(&one.checks, &other.checks));
    }
    all
}

/// The violation that this one follows from: the same answer has an unexpected status, so its other
/// expectations fail too. An expected failure follows from nothing.
pub(super) fn cause<'a, 'b>(
    all: &'b [CheckPair<'a>],
    pair: &CheckPair<'a>,
) -> Option<&'b CheckPair<'a>> {
    let violating = |it: &CheckPair<'a>| match it.verdict {
        PairVerdict::AViolates => Some(it.a),
        PairVerdict::BViolates => Some(it.b),
        _ => None,
    };
    let of_scenario = |it: &CheckPair<'a>| {
        violating(it)
            .filter(|it| it.place.is_some() && it.known.is_none() && it.verdict == Verdict::Fail)
    };
    let number = |check: &CheckResult| check.exchange.as_ref().map(|exchange| exchange.number);
    let follower = of_scenario(pair)?;
    number(follower)?;
    let is_cause = |it: &&CheckPair<'a>| {
        it.verdict == pair.verdict
            && of_scenario(it)
                .is_some_and(|check| check.is_of_status() && number(check) == number(follower))
    };
    let cause = all.iter().find(is_cause)?;
    (of_scenario(cause)?.subject != follower.subject).then_some(cause)
}

/// Violations that the other side has no check of.
fn alone<'a>(first: &'a [CheckResult], second: &'a [CheckResult]) -> Vec<CheckPair<'a>> {
    let is_alone = |check: &CheckResult, others: &[CheckResult]| {
        is_violation(check.verdict) && !others.iter().any(|it| it.subject == check.subject)
    };
    let mut all = Vec::new();
    for check in first.iter().filter(|check| is_alone(check, second)) {
        all.push(CheckPair { a: check, b: check, verdict: PairVerdict::AViolates });
    }
    for check in second.iter().filter(|check| is_alone(check, first)) {
        all.push(CheckPair { a: check, b: check, verdict: PairVerdict::BViolates });
    }
    all
}

fn pair_verdict(a: Verdict, b: Verdict) -> PairVerdict {
    match (a, b) {
        (a, b) if is_violation(a) && is_violation(b) => PairVerdict::BothViolate,
        (a, _) if is_violation(a) => PairVerdict::AViolates,
        (_, b) if is_violation(b) => PairVerdict::BViolates,
        (Verdict::NotRun, Verdict::NotRun) => PairVerdict::NeitherRun,
        (Verdict::NotApplicable, _) | (_, Verdict::NotApplicable) => PairVerdict::NotApplicable,
        (Verdict::NotRun, _) => PairVerdict::ANotRun,
        (_, Verdict::NotRun) => PairVerdict::BNotRun,
        (_, _) => PairVerdict::Same,
    }
}

/// Whether a check found a violation. A different answer to a pinned question is none.
const fn is_violation(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn)
}
