//! What breaks a requirement: one cause is one violation, however many cases show it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::Operation;

use super::case::Case;
use crate::result::{CheckResult, ScenarioResult, StepResult, Subject};
use crate::verdict::Verdict;

/// What is taken for one cause: a requirement, whatever operation breaks it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// Id of the requirement.
    pub requirement: String,
}

/// A violation, by the smallest case that shows it.
#[derive(Debug, Clone)]
pub struct Violation {
    /// What it breaks.
    pub cause: Cause,
    /// What answered so; empty where that is nothing of §4.
    pub operations: BTreeSet<Operation>,
    /// Cases that showed it.
    pub cases: u32,
    /// Acts of the case that was made smaller.
    pub acts_before: usize,
    /// What is left of it.
    pub case: Case,
    /// The walk of what is left.
    pub result: Arc<ScenarioResult>,
}

impl Cause {
    /// A known failure is none.
    fn of(check: &CheckResult) -> Option<Self> {
        let Subject::Requirement(id) = &check.subject else { return None };
        let is_one = check.verdict == Verdict::Fail && check.known.is_none();
        is_one.then(|| Self { requirement: id.to_string() })
    }

    /// Whether a walk shows it.
    pub fn is_in(&self, result: &ScenarioResult) -> bool {
        checks(result).any(|check| Self::of(check).as_ref() == Some(self))
    }
}

impl Violation {
    /// The check that says so, and the step in which it stands.
    pub fn check(&self) -> Option<(&StepResult, &CheckResult)> {
        self.result.steps.iter().find_map(|step| {
            let found = step.checks.iter().find(|it| Cause::of(it).as_ref() == Some(&self.cause));
            Some((step, found?))
        })
    }

    /// The lines that do the same by hand, up to the answer that breaks the requirement.
    pub fn curl(&self) -> Vec<String> {
        let number = self.check().and_then(|(_, check)| Some(check.exchange.as_ref()?.number));
        let mut all: Vec<_> = self.result.steps.iter().flat_map(|step| &step.exchanges).collect();
        all.sort_by_key(|exchange| exchange.number);
        all.into_iter()
            .filter(|exchange| number.is_none_or(|last| exchange.number <= last))
            .map(|exchange| exchange.request.curl.clone())
            .collect()
    }
}

/// Whether a walk shows any.
pub(super) fn is_any(result: &ScenarioResult) -> bool {
    checks(result).any(|check| Cause::of(check).is_some())
}

fn checks(result: &ScenarioResult) -> impl Iterator<Item = &CheckResult> {
    result.steps.iter().flat_map(|step| &step.checks)
}

/// What shows a cause.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Places of cases, in order.
    pub(super) places: Vec<usize>,
    pub(super) operations: BTreeSet<Operation>,
}

/// What shows each cause.
#[derive(Debug, Default)]
pub(super) struct Causes(pub(super) BTreeMap<Cause, Shown>);

impl Causes {
    /// Notes what the walk of the case at `place` shows.
    pub(super) fn note(&mut self, place: usize, result: &ScenarioResult) {
        for check in checks(result) {
            let Some(cause) = Cause::of(check) else { continue };
            let shown = self.0.entry(cause).or_default();
            shown.operations.extend(check.exchange.as_ref().and_then(|it| it.request.operation));
            if shown.places.last() != Some(&place) {
                shown.places.push(place);
            }
        }
    }
}
