//! The result of exploring, as data.

use std::collections::BTreeMap;

use super::case::{self, Case};
use super::differences::Differences;
use super::violation::Violation;
use crate::verdict::result::RunResult;

/// The result of exploring.
#[derive(Debug, Clone, Default)]
pub struct Exploration {
    /// The run: target, seed, outcome, scenarios, and objects that are left on the target.
    pub result: RunResult,
    /// The number of drawn cases.
    pub cases: u64,
    /// The number of cases that ran to their end.
    pub walked: u64,
    /// The reasons why the other cases did not, each with the number of cases.
    pub not_walked: BTreeMap<String, u64>,
    /// One violation for each broken requirement.
    pub violations: Vec<Violation>,
    /// Warnings, by requirement: the message of the first check, and the number of checks that warned.
    pub warnings: BTreeMap<String, (String, u32)>,
    /// Differences between the responses of the target and of the mock.
    pub differences: Differences,
}

impl Exploration {
    /// The scenario file that reproduces every violation; `None` if there is no violation.
    pub fn file(&self) -> Option<String> {
        let mut cases: Vec<Case> = Vec::new();
        for violation in &self.violations {
            if !cases.contains(&violation.case) {
                cases.push(violation.case.clone());
            }
        }
        let seed = self.result.seed;
        let head = format!(
            "# The smallest cases that `moot explore --seed {seed}` found. To run them again, use the same \
             target, answers and world:\n# moot run --scenarios FILE --seed {seed}\n"
        );
        (!cases.is_empty()).then(|| head + &case::text(&cases))
    }
}
