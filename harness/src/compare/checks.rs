//! What the checks of two runs say of the same place.

use super::pairs::paired;
use crate::result::{CheckResult, ScenarioResult, StepResult};
use crate::verdict::Verdict;

/// How two verdicts on the same place stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Both hold, or both only observe.
    Same,
    /// Only the first was found wanting.
    AViolates,
    /// Only the second.
    BViolates,
    /// Both.
    BothViolate,
    /// The first could not be judged.
    ANotRun,
    /// The second could not.
    BNotRun,
    /// Neither could.
    NeitherRun,
    /// There was nothing to judge on a side.
    Nothing,
}

/// Two checks of the same thing at the same place.
pub(super) struct Judged<'a> {
    pub(super) a: &'a CheckResult,
    pub(super) b: &'a CheckResult,
    pub(super) standing: Standing,
}

/// The checks that both sides have of one scenario.
pub(super) fn judged<'a>(a: &'a ScenarioResult, b: &'a ScenarioResult) -> Vec<Judged<'a>> {
    let steps = paired(&a.steps, &b.steps, |step: &StepResult| step.name.as_str());
    let mut all = Vec::new();
    for (one, other) in steps {
        for check in &one.checks {
            let same = |it: &&CheckResult| {
                it.subject == check.subject && it.place.is_none() == check.place.is_none()
            };
            if let Some(partner) = other.checks.iter().find(same) {
                let standing = standing(check.verdict, partner.verdict);
                all.push(Judged { a: check, b: partner, standing });
            }
        }
        // An implicit check speaks where its answer came; the other side may have had none.
        all.extend(alone(&one.checks, &other.checks));
    }
    all
}

/// The violation that this one follows from: the same answer has another status than the scenario expects,
/// and so what else it expects of that answer is not there. What is known is told for itself.
pub(super) fn cause<'a, 'b>(all: &'b [Judged<'a>], judged: &Judged<'a>) -> Option<&'b Judged<'a>> {
    let guilty = |it: &Judged<'a>| match it.standing {
        Standing::AViolates => Some(it.a),
        Standing::BViolates => Some(it.b),
        _ => None,
    };
    let of_scenario = |it: &Judged<'a>| {
        guilty(it)
            .filter(|it| it.place.is_some() && it.known.is_none() && it.verdict == Verdict::Fail)
    };
    let number = |check: &CheckResult| check.exchange.as_ref().map(|exchange| exchange.number);
    let follower = of_scenario(judged)?;
    number(follower)?;
    let is_cause = |it: &&Judged<'a>| {
        it.standing == judged.standing
            && of_scenario(it)
                .is_some_and(|check| check.is_of_status() && number(check) == number(follower))
    };
    let cause = all.iter().find(is_cause)?;
    (of_scenario(cause)?.subject != follower.subject).then_some(cause)
}

/// Violations that the other side has no check of.
fn alone<'a>(first: &'a [CheckResult], second: &'a [CheckResult]) -> Vec<Judged<'a>> {
    let is_alone = |check: &CheckResult, others: &[CheckResult]| {
        is_wanting(check.verdict) && !others.iter().any(|it| it.subject == check.subject)
    };
    let mut all = Vec::new();
    for check in first.iter().filter(|check| is_alone(check, second)) {
        all.push(Judged { a: check, b: check, standing: Standing::AViolates });
    }
    for check in second.iter().filter(|check| is_alone(check, first)) {
        all.push(Judged { a: check, b: check, standing: Standing::BViolates });
    }
    all
}

fn standing(a: Verdict, b: Verdict) -> Standing {
    match (a, b) {
        (a, b) if is_wanting(a) && is_wanting(b) => Standing::BothViolate,
        (a, _) if is_wanting(a) => Standing::AViolates,
        (_, b) if is_wanting(b) => Standing::BViolates,
        (Verdict::NotRun, Verdict::NotRun) => Standing::NeitherRun,
        (Verdict::NotApplicable, _) | (_, Verdict::NotApplicable) => Standing::Nothing,
        (Verdict::NotRun, _) => Standing::ANotRun,
        (_, Verdict::NotRun) => Standing::BNotRun,
        (_, _) => Standing::Same,
    }
}

/// Whether a check found its target wanting; a pinned answer that differs is no violation.
pub(super) const fn is_wanting(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Fail | Verdict::Warn)
}
