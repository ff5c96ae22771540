//! The kill matrix for a deployment, which has no control plane: the gating requirements that notice no defect, and the
//! reasons.

use std::collections::{BTreeMap, BTreeSet};

use moot_mock::defect::Defect;
use serde::Serialize;
use strum::IntoStaticStr;

use super::matrix::MatrixRow;
use super::mutants::{MutantTrial, TrialColumn};
use super::trial::{
    Bench, by_requirement, is_heavy, is_noticed, of_shard, side_by_side, with_defect,
};
use crate::run::environment::Shard;
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::verdict::result::RunOutcome;

/// A gating requirement that noticed no defect of a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct UnprovenRow {
    pub requirement: String,
    pub reason: UnprovenReason,
}

/// The reason why a requirement noticed no defect of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
pub enum UnprovenReason {
    #[strum(serialize = "every scenario that checks it needs a control plane")]
    NeedsControlPlane,
    #[strum(serialize = "every scenario that checks it is heavy, and trials skip those")]
    Heavy,
    #[strum(serialize = "no defect of it was noticed as a deployment")]
    NotNoticed,
}

/// The requirements that noticed each defect of a shard on a deployment. A defect runs on the scenarios that declare the
/// requirements that it breaks.
pub async fn caught(
    bench: &Bench,
    all: &[&'static Defect],
    shard: Shard,
) -> BTreeMap<String, Vec<String>> {
    let trials = of_shard(all.iter().copied(), shard).map(|(_, defect)| {
        let files = bench.only(|file, at| {
            let declared = declared::requirements(&file.scenarios[at].steps);
            !is_heavy(file, at) && defect.breaks.iter().any(|id| declared.contains(id))
        });
        async move {
            if files.is_empty() {
                return (defect.id.clone(), Vec::new());
            }
            let choice = TrialColumn::Deployment.choice();
            let result = bench.run(&defect.id, choice, files, with_defect(defect)).await;
            let verdicts = by_requirement(&result.scenarios);
            // A target that refuses the token violates the specification before any scenario.
            let is_refused =
                result.trouble.is_some() && result.outcome == RunOutcome::NonConformant;
            let is_caught = |id: &&String| is_refused || is_noticed(id, verdicts.get(*id));
            (defect.id.clone(), defect.breaks.iter().filter(is_caught).cloned().collect())
        }
    });
    side_by_side(trials, bench.lanes_on_deployments()).await.into_iter().collect()
}

/// The gating requirements of the matrix that neither a defect nor a mutant made fail as a deployment.
pub fn unproven(
    files: &[ScenarioFile],
    matrix: &[MatrixRow],
    caught: &BTreeMap<String, Vec<String>>,
    mutants: &[MutantTrial],
) -> Vec<UnprovenRow> {
    let killed = mutants.iter().flat_map(|trial| trial.killers(TrialColumn::Deployment));
    let noticed: BTreeSet<&String> = caught.values().flatten().chain(killed).collect();
    let gating = matrix.iter().filter(|row| row.is_gating && !noticed.contains(&row.requirement));
    gating
        .map(|row| UnprovenRow {
            requirement: row.requirement.clone(),
            reason: reason(files, &row.requirement),
        })
        .collect()
}

fn reason(files: &[ScenarioFile], requirement: &str) -> UnprovenReason {
    let mut kinds = BTreeSet::new();
    for file in files {
        for (at, scenario) in file.scenarios.iter().enumerate() {
            if !declared::requirements(&scenario.steps).contains(requirement) {
                continue;
            }
            kinds.insert(match scenario.needs.iter().any(|need| need == "admin") {
                true => UnprovenReason::NeedsControlPlane,
                false if is_heavy(file, at) => UnprovenReason::Heavy,
                false => UnprovenReason::NotNoticed,
            });
        }
    }
    kinds.last().copied().unwrap_or(UnprovenReason::NotNoticed)
}
