//! Violations: one for each broken requirement.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_fixtures::contract::Operation;

use super::case::Case;
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, ScenarioResult, StepResult, Subject};

/// A broken requirement, with the smallest case that breaks it.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The id of the requirement.
    pub requirement: String,
    /// The operations that broke it; empty for unknown paths.
    pub operations: BTreeSet<Operation>,
    /// The number of cases that broke it.
    pub cases: u32,
    /// The number of acts of the case before shrinking.
    pub acts_before: usize,
    /// The case after shrinking.
    pub case: Case,
    /// The result of this case.
    pub result: Arc<ScenarioResult>,
}

impl Violation {
    /// The check that failed, with its step.
    pub fn check(&self) -> Option<(&StepResult, &CheckResult)> {
        self.result.steps.iter().find_map(|step| {
            let is_it = |check: &&CheckResult| broken(check) == Some(self.requirement.as_str());
            Some((step, step.checks.iter().find(is_it)?))
        })
    }

    /// The curl lines that repeat the case, up to the response that breaks the requirement.
    pub fn curl(&self) -> Vec<String> {
        let number = self.check().and_then(|(_, check)| check.exchange_number());
        let mut all: Vec<_> = self.result.exchanges().collect();
        all.sort_by_key(|exchange| exchange.number);
        all.into_iter()
            .filter(|exchange| number.is_none_or(|last| exchange.number <= last))
            .map(|exchange| exchange.request.curl.clone())
            .collect()
    }
}

/// The requirement that a check reports as broken. Expected failures do not count.
fn broken(check: &CheckResult) -> Option<&str> {
    match &check.subject {
        Subject::Requirement(id) if check.verdict == Verdict::Fail && check.known.is_none() => {
            Some(id)
        }
        _ => None,
    }
}

/// Whether a scenario breaks this requirement.
pub(super) fn breaks(result: &ScenarioResult, requirement: &str) -> bool {
    result.checks().any(|check| broken(check) == Some(requirement))
}

/// Adds the requirements that the case with this index breaks. Each has the indices of its cases, in ascending order,
/// and the operations that broke it.
pub(super) fn collect(
    all: &mut BTreeMap<String, (Vec<usize>, BTreeSet<Operation>)>,
    index: usize,
    result: &ScenarioResult,
) {
    for check in result.checks() {
        let Some(requirement) = broken(check) else { continue };
        let (cases, operations) = all.entry(requirement.to_owned()).or_default();
        operations.extend(check.exchange.as_ref().and_then(|it| it.request.operation));
        if cases.last() != Some(&index) {
            cases.push(index);
        }
    }
}
