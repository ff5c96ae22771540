//! The mutation score: the number of killed mutants, by operator, kind of place and section.

use std::collections::BTreeMap;

use moot_mock::defect::mutant::{self, Equivalence, Mutant};
use serde::{Deserialize, Serialize};

use super::mutants::{MutantTrial, TrialColumn};
use crate::report::section_order;

/// The share of mutants that must be killed with the control plane.
pub const GOAL_CONTROL_PLANE: f64 = 0.99;
/// The share of mutants that must be killed as a deployment.
pub const GOAL_DEPLOYMENT: f64 = 0.97;

/// The trials of drawn mutants.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MutationTest {
    /// The seed of the draw.
    pub seed: u64,
    /// The number of mutants from which they were drawn.
    #[serde(skip_deserializing)]
    pub noticeable: usize,
    /// Mutants that no outside observer can notice, by class.
    #[serde(skip_deserializing)]
    pub equivalent: BTreeMap<&'static str, EquivalentClass>,
    /// The trials, in the order of the contract.
    pub trials: Vec<MutantTrial>,
}

/// Mutants that are excused for one reason.
#[derive(Debug, Clone, Serialize)]
pub struct EquivalentClass {
    pub reason: &'static str,
    /// The number of mutants.
    pub mutants: usize,
}

/// The numbers of tried and killed mutants of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct MutationScore {
    pub tried: usize,
    /// Mutants that were killed with the control plane.
    pub killed: usize,
    /// Mutants that were killed as a deployment.
    pub killed_as_deployment: usize,
}

impl MutationScore {
    fn add(&mut self, trial: &MutantTrial) {
        self.tried += 1;
        self.killed += usize::from(trial.is_killed(TrialColumn::ControlPlane));
        self.killed_as_deployment += usize::from(trial.is_killed(TrialColumn::Deployment));
    }

    /// The number killed in a column.
    pub fn killed_in(&self, column: TrialColumn) -> usize {
        match column {
            TrialColumn::ControlPlane => self.killed,
            TrialColumn::Deployment => self.killed_as_deployment,
        }
    }

    /// `97.2 %`.
    pub fn percent(&self, column: TrialColumn) -> String {
        match self.tried {
            0 => "-".to_owned(),
            tried => format!("{:.1} %", 100.0 * share(self.killed_in(column), tried)),
        }
    }

    /// Whether a column reaches its goal. A sample may be two standard errors below, so that the draw alone does not
    /// decide.
    pub fn reaches_goal(&self, column: TrialColumn) -> bool {
        let goal = match column {
            TrialColumn::ControlPlane => GOAL_CONTROL_PLANE,
            TrialColumn::Deployment => GOAL_DEPLOYMENT,
        };
        if self.tried == 0 {
            return true;
        }
        let error = (goal * (1.0 - goal) / share(self.tried, 1)).sqrt();
        share(self.killed_in(column), self.tried) >= goal - 2.0 * error
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of mutants are small")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

impl MutationTest {
    /// The trials of mutants that were drawn with a seed.
    pub fn new(seed: u64, trials: Vec<MutantTrial>) -> Self {
        let mut equivalent: BTreeMap<&'static str, EquivalentClass> = BTreeMap::new();
        for class in mutant::all().iter().filter_map(|mutant| mutant.equivalent) {
            let one = EquivalentClass { reason: Equivalence::reason(class), mutants: 0 };
            equivalent.entry(class.into()).or_insert(one).mutants += 1;
        }
        let is_noticeable = |mutant: &&Mutant| mutant.equivalent.is_none();
        let noticeable = mutant::all().iter().filter(is_noticeable).count();
        Self { seed, noticeable, equivalent, trials }
    }

    /// Over all trials.
    pub fn total(&self) -> MutationScore {
        let mut score = MutationScore::default();
        self.trials.iter().for_each(|trial| score.add(trial));
        score
    }

    /// By family and operator: `values: truncated`.
    pub fn by_operator(&self) -> Vec<(String, MutationScore)> {
        self.by(|mutant| {
            let family: &str = mutant.family.into();
            format!("{family}: {}", mutant.operator)
        })
    }

    /// By kind of place.
    pub fn by_kind(&self) -> Vec<(String, MutationScore)> {
        self.by(|mutant| Into::<&str>::into(mutant.kind).replace('_', " "))
    }

    /// By section of the specification, in its order.
    pub fn by_section(&self) -> Vec<(String, MutationScore)> {
        let mut all = self.by(|mutant| mutant.defect.section.clone());
        all.sort_by_cached_key(|(section, _)| section_order(section));
        all
    }

    fn by(&self, key: impl Fn(&Mutant) -> String) -> Vec<(String, MutationScore)> {
        let mut groups: BTreeMap<String, MutationScore> = BTreeMap::new();
        for trial in &self.trials {
            groups.entry(key(trial.mutant)).or_default().add(trial);
        }
        groups.into_iter().collect()
    }

    /// Mutants that survived in some column.
    pub fn survivors(&self) -> impl Iterator<Item = &MutantTrial> {
        self.trials.iter().filter(|trial| trial.survives())
    }

    /// Whether both columns reach their goals.
    pub fn is_proven(&self) -> bool {
        TrialColumn::ALL.iter().all(|column| self.total().reaches_goal(*column))
    }
}

#[cfg(test)]
mod tests {
    use super::MutationScore;
    use crate::selftest::mutants::TrialColumn;

    #[track_caller]
    fn check(tried: usize, killed_as_deployment: usize, expected: bool) {
        let score = MutationScore { tried, killed: tried, killed_as_deployment };
        assert_eq!(score.reaches_goal(TrialColumn::Deployment), expected, "{score:?}");
    }

    #[test]
    fn a_sample_fails_only_beyond_two_standard_errors() {
        check(0, 0, true);
        check(500, 485, true);
        check(500, 478, true);
        check(500, 477, false);
        check(5000, 4827, true);
        check(5000, 4825, false);
    }
}
