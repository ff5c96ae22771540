//! The trials of a self-test: their plan, the part of a shard, and their results.

use std::io;
use std::mem::take;

use moot_mock::defect::Defect;
use moot_mock::defect::mutant::Mutant;

use super::defects;
use super::degenerate::{self, DEGENERATE_COUNT};
use super::deployment_matrix;
use super::drawn_services;
use super::matrix;
use super::mutants::{self, TrialColumn, sound};
use super::outcome::SelftestOutcome;
use super::score::MutationTest;
use super::single_answer::{alone, alone_names};
use super::trial::TrialEnvironment;
use crate::run::environment::Shard;
use crate::scenario::model::ScenarioFile;

/// The name of the trial of all targets that are not the service. The first shard makes it.
const DEGENERATE: &str = "targets that are not the service";

/// The plan of a self-test.
#[derive(Debug, Clone)]
pub struct SelftestPlan {
    /// Defects, in the order of the specification.
    pub defects: Vec<&'static Defect>,
    /// Generated defects, in the order of the contract. If it is empty, nothing is tried as a deployment.
    pub mutants: Vec<&'static Mutant>,
    /// The seed of the draw of mutants.
    pub mutant_seed: u64,
    /// The number of services with drawn answers.
    pub seeds: u64,
    /// Whether each defect is tried on all scenarios.
    pub is_thorough: bool,
    /// Whether every defect is tried.
    pub is_whole: bool,
}

impl SelftestPlan {
    /// The name of each trial, with the number of its shard.
    pub fn rows(&self, count: u16) -> Vec<(String, u16)> {
        let kinds = [
            self.defects.iter().map(|it| it.id.clone()).collect(),
            self.mutants.iter().map(|it| it.defect.id.clone()).collect(),
            (1..=self.seeds).map(|seed| format!("random:{seed}")).collect(),
            alone_names(self.seeds),
            vec![DEGENERATE.to_owned()],
        ];
        let in_turn = |names: Vec<String>| names.into_iter().zip((1..=count).cycle());
        kinds.into_iter().flat_map(in_turn).collect()
    }

    /// The number of progress steps of a shard.
    pub fn steps(&self, shard: Shard) -> usize {
        let own = |all: usize| (0..all).filter(|index| shard.has(*index)).count();
        let columns = 1 + usize::from(self.is_deployed());
        let drawn = usize::try_from(self.seeds).unwrap_or(usize::MAX);
        let degenerate = if shard.has(0) { DEGENERATE_COUNT } else { 0 };
        columns * own(self.defects.len())
            + own(self.mutants.len())
            + own(drawn)
            + own(alone_names(self.seeds).len())
            + degenerate
    }

    fn is_deployed(&self) -> bool {
        !self.mutants.is_empty()
    }

    /// Makes the trials of a shard.
    ///
    /// # Errors
    /// A port or a file cannot be opened.
    pub async fn run(&self, bench: &TrialEnvironment, shard: Shard) -> io::Result<SelftestOutcome> {
        let (is_thorough, is_deployed) = (self.is_thorough, self.is_deployed());
        // A run on a sound deployment mostly waits, so others run beside it.
        let sound = async {
            match is_deployed {
                true => Some(tokio::join!(
                    sound(bench, TrialColumn::ControlPlane),
                    sound(bench, TrialColumn::Deployment),
                )),
                false => None,
            }
        };
        let defects = defects::defects(bench, &self.defects, shard, is_thorough, is_deployed);
        let (defects, sound) = tokio::join!(defects, sound);
        let mutants = match &sound {
            Some((with_control_plane, deployed)) => {
                let sound = [with_control_plane, deployed];
                mutants::mutants(bench, &self.mutants, sound, shard).await
            }
            None => Vec::new(),
        };
        let outcome = SelftestOutcome {
            defects,
            mutation: MutationTest::new(self.mutant_seed, mutants),
            combined: drawn_services::combined(bench, self.seeds, shard).await,
            alone: alone(bench, self.seeds, is_thorough, shard).await,
            degenerate: match shard.has(0) {
                true => degenerate::degenerate(bench).await?,
                false => Vec::new(),
            },
            is_thorough,
            is_whole: self.is_whole,
            is_deployed,
            ..SelftestOutcome::default()
        };
        Ok(outcome.with_matrix(&bench.files))
    }
}

impl SelftestOutcome {
    /// The number of trials of the plan that it has.
    pub fn trials(&self) -> usize {
        self.defects.len()
            + self.mutation.trials.len()
            + self.combined.len()
            + self.alone.len()
            + usize::from(!self.degenerate.is_empty())
    }

    /// The outcome of several shards on a suite with these files. `is_complete`: no shard is missing.
    pub fn joined(mut parts: Vec<Self>, is_complete: bool, files: &[ScenarioFile]) -> Self {
        let mutants = in_turn(parts.iter_mut().map(|part| take(&mut part.mutation.trials)));
        let mut all = Self {
            defects: in_turn(parts.iter_mut().map(|part| take(&mut part.defects))),
            combined: in_turn(parts.iter_mut().map(|part| take(&mut part.combined))),
            alone: in_turn(parts.iter_mut().map(|part| take(&mut part.alone))),
            ..Self::default()
        };
        for part in parts {
            all.degenerate.extend(part.degenerate);
            (all.mutation.seed, all.is_thorough) = (part.mutation.seed, part.is_thorough);
            all.is_whole = part.is_whole && is_complete;
            all.is_deployed = part.is_deployed;
        }
        all.mutation = MutationTest::new(all.mutation.seed, mutants);
        all.with_matrix(files)
    }

    /// Adds the results that follow from the trials.
    fn with_matrix(self, files: &[ScenarioFile]) -> Self {
        let noticed = self.defects.iter().map(|trial| (trial.defect, &trial.noticed));
        let matrix = matrix::rows(files, noticed);
        let caught = self.defects.iter().flat_map(|trial| &trial.caught_as_deployment_by);
        let mutants = &self.mutation.trials;
        let unproven_as_deployment =
            self.is_deployed.then(|| deployment_matrix::unproven(files, &matrix, caught, mutants));
        Self { version: env!("CARGO_PKG_VERSION"), matrix, unproven_as_deployment, ..self }
    }
}

/// The first item of each list, then the second of each, and so on.
fn in_turn<T>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(lists.iter_mut().filter_map(Iterator::next));
        if all.len() == before {
            return all;
        }
    }
}

#[cfg(test)]
mod tests {
    use moot_mock::defect::mutant;

    use super::{MutationTest, SelftestOutcome, in_turn};
    use crate::run::environment::Shard;
    use crate::selftest::mutants::MutantTrial;

    #[test]
    fn the_trial_of_a_mutant_can_be_read_back() {
        let mutants = mutant::all().iter().take(2).map(|mutant| MutantTrial {
            mutant,
            killed_by: vec!["errors.media-type".to_owned()],
            killed_as_deployment_by: Vec::new(),
        });
        let mutation = MutationTest { trials: mutants.collect(), ..MutationTest::default() };
        let outcome = SelftestOutcome { mutation, ..SelftestOutcome::default() };
        let text = serde_json::to_string(&outcome).expect("it has a JSON form");
        let read: SelftestOutcome = serde_json::from_str(&text).expect("what was written");
        assert_eq!(serde_json::to_string(&read).expect("it has a JSON form"), text);
        let other = text.replace(&mutant::all()[0].defect.id, "mutant:none/none");
        assert!(serde_json::from_str::<SelftestOutcome>(&other).is_err());
    }

    #[test]
    fn rows_unproven_as_deployment_need_no_mutant() {
        for is_deployed in [true, false] {
            let part = SelftestOutcome { is_deployed, ..SelftestOutcome::default() };
            let joined = SelftestOutcome::joined(vec![part], false, &[]);
            assert_eq!(joined.unproven_as_deployment.is_some(), is_deployed);
        }
    }

    #[test]
    fn what_was_dealt_in_turn_is_joined_in_turn() {
        for (items, count) in [(0, 1), (1, 3), (7, 1), (7, 2), (7, 3), (8, 4), (3, 8)] {
            let lists = (1..=count).map(|number| {
                let shard = Shard { number, count };
                (0..items).filter(|index| shard.has(*index)).collect()
            });
            assert_eq!(in_turn(lists), (0..items).collect::<Vec<_>>(), "{items} {count}");
        }
    }
}
