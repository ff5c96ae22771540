//! Which checks verify each requirement: those of scenarios, implicit ones, observations.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::implicit;
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;

/// The checks of each requirement, and the observers of each question.
#[derive(Debug, Default)]
pub(super) struct Verification {
    by_scenario: BTreeMap<String, BTreeSet<String>>,
    by_implicit: BTreeMap<String, BTreeSet<&'static str>>,
    questions: BTreeMap<String, BTreeSet<String>>,
}

impl Verification {
    /// Of these files, and of the implicit checks.
    pub(super) fn by(files: &[ScenarioFile]) -> Self {
        let mut verified = Self::default();
        for file in files {
            for scenario in &file.scenarios {
                let name = format!("{}/{}", file.stem, scenario.id);
                for id in declared::requirements(&scenario.steps) {
                    verified.by_scenario.entry(id).or_default().insert(name.clone());
                }
                for id in declared::questions(&scenario.steps) {
                    verified.questions.entry(id).or_default().insert(name.clone());
                }
            }
        }
        for row in implicit::TABLE {
            for id in row.verifies {
                verified.by_implicit.entry((*id).to_owned()).or_default().insert(row.name);
            }
        }
        verified
    }

    /// Names of scenarios with a check of this requirement.
    pub(super) fn scenarios(&self, requirement: &str) -> Vec<&str> {
        listed(self.by_scenario.get(requirement))
    }

    /// Names of the implicit checks of this requirement.
    pub(super) fn implicit(&self, requirement: &str) -> Vec<&'static str> {
        let names = self.by_implicit.get(requirement);
        names.map(|names| names.iter().copied().collect()).unwrap_or_default()
    }

    /// Names of scenarios that observe this question.
    pub(super) fn observers(&self, question: &str) -> Vec<&str> {
        listed(self.questions.get(question))
    }
}

fn listed(names: Option<&BTreeSet<String>>) -> Vec<&str> {
    names.map(|names| names.iter().map(String::as_str).collect()).unwrap_or_default()
}
