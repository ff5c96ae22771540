//! Trials of mutants, which are generated defects.
//!
//! Each mutant is tried twice. The first column is the mock with its control plane and a sandbox for each scenario. The
//! second column is the mock as a deployment: one world for all scenarios, without control plane and sandboxes. A
//! mutant is killed by a `fail` that the run on the correct service does not have, or by such a `warn` for a row below
//! `stated`.

use std::collections::BTreeMap;
use std::sync::Arc;

use moot_fixtures::random;
use moot_mock::defect::mutant::{self, Mutant};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::trial::{
    SEED, TrialEnvironment, by_requirement, is_noticed, of_shard, only, side_by_side, weight,
    with_defect,
};
use crate::run::Interruption;
use crate::run::environment::{Shard, TargetChoice, TargetOptions, text_hash};
use crate::scenario::ScenarioName;
use crate::scenario::model::{Scenario, ScenarioFile};
use crate::verdict::Verdict;
use crate::verdict::result::{Event, ScenarioResult};

/// A way to serve the mock to the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialColumn {
    /// With its control plane, and a sandbox for each scenario.
    ControlPlane,
    /// Without a control plane, in one world, with all credentials, bindings and consents.
    Deployment,
}

impl TrialColumn {
    /// Both columns, in their order.
    pub const ALL: [Self; 2] = [Self::ControlPlane, Self::Deployment];

    /// The target for this column.
    pub(super) fn choice(self) -> TargetChoice {
        match self {
            Self::ControlPlane => TargetChoice::InProcess,
            Self::Deployment => TargetChoice::InProcessDeployment,
        }
    }
}

/// A mutant, and the requirements that noticed it in each column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MutantTrial {
    /// The mutant.
    #[serde(flatten, deserialize_with = "mutant_by_id")]
    pub mutant: &'static Mutant,
    /// The requirements that noticed it first, with the control plane.
    pub killed_by: Vec<String>,
    /// The requirements that noticed it first, as a deployment.
    pub killed_as_deployment_by: Vec<String>,
}

impl MutantTrial {
    /// The requirements that noticed it in a column.
    pub fn killers(&self, column: TrialColumn) -> &[String] {
        match column {
            TrialColumn::ControlPlane => &self.killed_by,
            TrialColumn::Deployment => &self.killed_as_deployment_by,
        }
    }

    /// Whether it was noticed in a column.
    pub fn is_killed(&self, column: TrialColumn) -> bool {
        !self.killers(column).is_empty()
    }

    /// The columns in which it survived, in words.
    pub fn survived(&self) -> &'static str {
        match TrialColumn::ALL.map(|column| self.is_killed(column)) {
            [false, false] => "in both columns",
            [false, true] => "with the control plane",
            [true, _] => "as a deployment",
        }
    }

    /// Whether it survived in some column.
    pub fn survives(&self) -> bool {
        TrialColumn::ALL.iter().any(|column| !self.is_killed(*column))
    }
}

fn mutant_by_id<'de, D: Deserializer<'de>>(source: D) -> Result<&'static Mutant, D::Error> {
    let row = Value::deserialize(source)?;
    let id = row["id"].as_str().unwrap_or_default();
    mutant::named(id).ok_or_else(|| D::Error::custom(format!("there is no mutant `{id}`")))
}

/// Tries each mutant of a shard in both columns. It gets the verdicts of [`sound`] in both.
pub(super) async fn mutants(
    bench: &TrialEnvironment,
    all: &[&'static Mutant],
    [with_control_plane, deployed]: [&Arc<BTreeMap<String, Verdict>>; 2],
    shard: Shard,
) -> Vec<MutantTrial> {
    let light = bench.light();
    let trials = of_shard(all.iter().copied(), shard).map(|(_, mutant)| {
        let files = if mutant.defect.heavy { &bench.files } else { &light };
        let files = Arc::new(nearest_first(files, &mutant.defect.section));
        async move {
            let (killed_as_deployment_by, noticing) =
                run_mutant(bench, mutant, TrialColumn::Deployment, deployed, files.clone()).await;
            // The scenario that noticed it on the deployment nearly always notices it here too.
            let files = match noticing {
                Some(scenario) => Arc::new(first(&files, &scenario)),
                None => files,
            };
            let (killed_by, _) =
                run_mutant(bench, mutant, TrialColumn::ControlPlane, with_control_plane, files)
                    .await;
            (bench.tell)(&mutant.defect.id);
            MutantTrial { mutant, killed_by, killed_as_deployment_by }
        }
    });
    side_by_side(trials, bench.lanes_on_deployments()).await
}

/// The verdict of each requirement on the service without a mutant.
pub(super) async fn sound(
    bench: &TrialEnvironment,
    column: TrialColumn,
) -> Arc<BTreeMap<String, Verdict>> {
    let options = TargetOptions { seed: SEED, ..TargetOptions::default() };
    let result = bench.run("the sound service", column.choice(), bench.light(), options).await;
    Arc::new(by_requirement(&result.scenarios))
}

/// Runs scenarios until one notices the mutant. Returns the requirements that noticed it, and the first scenario that
/// did.
async fn run_mutant(
    bench: &TrialEnvironment,
    mutant: &'static Mutant,
    column: TrialColumn,
    sound: &Arc<BTreeMap<String, Verdict>>,
    files: Arc<Vec<ScenarioFile>>,
) -> (Vec<String>, Option<ScenarioName>) {
    let interruption = Arc::new(Interruption::default());
    let (stop, sound_there) = (Arc::clone(&interruption), Arc::clone(sound));
    let on_event = move |event| {
        if let Event::Ended(scenario) = event
            && !new_findings(&by_requirement([&*scenario]), &sound_there).is_empty()
        {
            stop.interrupt();
        }
    };
    let options = with_defect(&mutant.defect);
    let result = bench.run_until(column.choice(), files, options, interruption, on_event).await;
    let is_noticing =
        |scenario: &&ScenarioResult| !new_findings(&by_requirement([*scenario]), sound).is_empty();
    let scenario = result.scenarios.iter().find(is_noticing);
    let noticed_by = new_findings(&by_requirement(&result.scenarios), sound);
    (noticed_by, scenario.map(|scenario| scenario.name.clone()))
}

/// Requirements that noticed a defect, and whose verdict is worse than on the correct service.
fn new_findings(
    verdicts: &BTreeMap<String, Verdict>,
    sound: &BTreeMap<String, Verdict>,
) -> Vec<String> {
    let is_worse = |id: &str, verdict: Verdict| {
        sound.get(id).is_none_or(|sound| weight(verdict) > weight(*sound))
    };
    let is_new =
        |id: &str, verdict: &Verdict| is_noticed(id, Some(verdict)) && is_worse(id, *verdict);
    let found = verdicts.iter().filter(|(id, verdict)| is_new(id, verdict));
    found.map(|(id, _)| id.clone()).collect()
}

/// The files of a section first, then the files of all resources, then the others. The scenario that notices a mutant
/// is probably among the first.
fn nearest_first(files: &[ScenarioFile], section: &str) -> Vec<ScenarioFile> {
    let stem: Vec<String> = section.split('.').map(|number| format!("{number:0>2}")).collect();
    let stem = stem.join("_");
    let distance = |file: &ScenarioFile| match &file.stem {
        near if near.starts_with(&stem) => 0,
        resources if resources.starts_with("02") => 1,
        _ => 2,
    };
    let mut files = files.to_vec();
    files.sort_by_key(distance);
    files
}

/// The same files, with the scenario of this name first.
fn first(files: &[ScenarioFile], name: &ScenarioName) -> Vec<ScenarioFile> {
    let is_it = |file: &ScenarioFile, scenario: &Scenario| {
        (&file.stem, &scenario.id) == (&name.stem, &name.id)
    };
    let mut ordered = only(files, is_it);
    ordered.extend(only(files, |file, scenario| !is_it(file, scenario)));
    ordered
}

/// Draws `number` of the mutants that an outside observer can notice, and returns them in the order of `all`. The same
/// seed draws the same mutants.
pub fn draw(all: &'static [Mutant], number: usize, seed: u64) -> Vec<&'static Mutant> {
    let noticeable = all.iter().filter(|mutant| mutant.equivalent.is_none());
    let seed = seed.wrapping_mul(random::STEP);
    let mut drawn: Vec<(u64, usize, &Mutant)> = noticeable
        .enumerate()
        .map(|(at, mutant)| (random::mixed(text_hash(seed, &mutant.defect.id)), at, mutant))
        .collect();
    drawn.sort_by_key(|(order, at, _)| (*order, *at));
    drawn.truncate(number);
    drawn.sort_by_key(|(_, at, _)| *at);
    drawn.into_iter().map(|(_, _, mutant)| mutant).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use moot_mock::defect::mutant;

    use super::{draw, new_findings};
    use crate::verdict::Verdict;

    #[test]
    fn the_same_seed_draws_the_same_mutants_and_no_equivalent_one() {
        let ids = |seed| -> Vec<&str> {
            draw(mutant::all(), 50, seed).iter().map(|it| it.defect.id.as_str()).collect()
        };
        assert_eq!(ids(1), ids(1));
        assert_ne!(ids(1), ids(2));
        assert_eq!(ids(1).len(), 50);
        assert!(draw(mutant::all(), usize::MAX, 3).iter().all(|it| it.equivalent.is_none()));
    }

    #[test]
    fn only_a_finding_that_the_correct_service_does_not_have_kills() {
        let row = "list-legal-requests.status-200".to_owned();
        let verdicts = |verdict| BTreeMap::from([(row.clone(), verdict)]);
        for (found, sound, is_killed) in [
            (Verdict::Fail, Verdict::Pass, true),
            (Verdict::Fail, Verdict::Fail, false),
            (Verdict::Warn, Verdict::Pass, false),
            (Verdict::NotRun, Verdict::Pass, false),
            (Verdict::Fail, Verdict::NotRun, true),
        ] {
            let findings = new_findings(&verdicts(found), &verdicts(sound));
            assert_eq!(!findings.is_empty(), is_killed, "{found:?} {sound:?}");
        }
    }
}
