//! The result of exploring, as inert data.

use std::collections::BTreeMap;

use super::case::{self, Case};
use super::differences::Differences;
use super::violation::Violation;
use crate::verdict::result::RunResult;

/// The result of exploring.
#[derive(Debug, Clone)]
pub struct Explored {
    /// The run: target, seed, outcome and exit code, scenarios, objects left behind.
    pub result: RunResult,
    /// Cases that were drawn.
    pub cases: u64,
    /// Cases that ran to their end.
    pub walked: u64,
    /// The reasons why other cases did not, each with the number of cases.
    pub not_walked: BTreeMap<String, u64>,
    /// One for each requirement that is broken.
    pub violations: Vec<Violation>,
    /// Warnings, by requirement.
    pub warnings: BTreeMap<String, WarningCount>,
    /// Where the target answers unlike the mock.
    pub differences: Differences,
}

/// How often a requirement led to a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningCount {
    /// The message of the first check.
    pub message: String,
    /// Checks that warned.
    pub times: u32,
}

impl Explored {
    /// The scenario file that reproduces every violation; `None` where there is none.
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
