//! The checks of each requirement: checks of scenarios, implicit checks, and observations.

use std::collections::{BTreeMap, BTreeSet};

use crate::run::LIST_LAG;
use crate::scenario::declared;
use crate::scenario::model::{Scenario, ScenarioFile, StepAction};
use crate::verdict::check::implicit;

/// The checks of each requirement, and the observers of each question.
#[derive(Debug, Default)]
pub(super) struct Verification {
    by_scenario: BTreeMap<String, BTreeSet<String>>,
    by_implicit: BTreeMap<String, BTreeSet<String>>,
    questions: BTreeMap<String, BTreeSet<String>>,
}

impl Verification {
    /// The checks of these files, and the implicit checks.
    pub(super) fn by(files: &[ScenarioFile]) -> Self {
        let mut verified = Self::default();
        for file in files {
            for scenario in &file.scenarios {
                let name = format!("{}/{}", file.stem, scenario.id);
                for id in declared::requirements(&scenario.steps) {
                    verified.by_scenario.entry(id).or_default().insert(name.clone());
                }
                let lag = reads_what_it_changes(scenario).then(|| LIST_LAG.to_owned());
                for id in declared::questions(&scenario.steps).into_iter().chain(lag) {
                    verified.questions.entry(id).or_default().insert(name.clone());
                }
            }
        }
        for row in implicit::TABLE {
            for id in row.verifies {
                let names = verified.by_implicit.entry((*id).to_owned()).or_default();
                names.insert(row.name.to_owned());
            }
        }
        verified
    }

    /// The scenarios with a check of this requirement.
    pub(super) fn scenarios(&self, requirement: &str) -> Vec<&str> {
        listed(self.by_scenario.get(requirement))
    }

    /// The implicit checks of this requirement.
    pub(super) fn implicit(&self, requirement: &str) -> Vec<&str> {
        listed(self.by_implicit.get(requirement))
    }

    /// The scenarios that observe this question.
    pub(super) fn observers(&self, question: &str) -> Vec<&str> {
        listed(self.questions.get(question))
    }
}

/// Whether a scenario reads a whole list that it may have changed. If so, a run observes whether the list lags.
fn reads_what_it_changes(scenario: &Scenario) -> bool {
    let mut reads_list = false;
    declared::collect(&scenario.steps, &mut |step| {
        reads_list |=
            matches!(&step.action, StepAction::Request(request) if request.each_page.is_some());
    });
    reads_list && (scenario.needs("write") || scenario.needs("delete"))
}

fn listed(names: Option<&BTreeSet<String>>) -> Vec<&str> {
    names.map(|names| names.iter().map(String::as_str).collect()).unwrap_or_default()
}
