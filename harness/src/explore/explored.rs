//! What exploring came to, as inert data.

use std::collections::BTreeMap;

use super::case::{self, Case};
use super::differ::Differences;
use super::violation::Violation;
use crate::result::RunResult;

/// What exploring came to.
#[derive(Debug, Clone)]
pub struct Explored {
    /// The run: target, seed, outcome and exit code, what was walked, what was left behind.
    pub result: RunResult,
    /// Cases that were drawn.
    pub cases: u64,
    /// Cases that were walked to their end.
    pub walked: u64,
    /// Why others were not, with how many.
    pub not_walked: BTreeMap<String, u64>,
    /// What breaks a requirement, each once.
    pub violations: Vec<Violation>,
    /// What a standard or an example would have otherwise, each once.
    pub warnings: BTreeMap<String, Warned>,
    /// Where the model answers otherwise.
    pub differences: Differences,
}

/// A warning, by requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warned {
    /// What the first check said.
    pub message: String,
    /// Checks that said so.
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
            "# What `moot explore --seed {seed}` found, as small as it could be made. The same with the \
             same seed:\n# moot run --scenarios FILE --seed {seed}, with the target, answers or world \
             that was explored.\n"
        );
        (!cases.is_empty()).then(|| head + &case::text(&cases))
    }
}
