//! The kill matrix for a deployment, which has no control plane: the gating requirements that notice no defect, and the
//! reasons.

use std::collections::BTreeSet;

use moot_mock::defect::Defect;
use serde::Serialize;
use strum::IntoStaticStr;

use super::matrix::MatrixRow;
use super::mutants::{MutantTrial, TrialColumn};
use super::trial::{TrialEnvironment, by_requirement, declares, is_heavy, is_noticed, with_defect};
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

/// The requirements that notice a defect on a deployment. Only the scenarios run that declare a requirement that it
/// breaks.
pub(super) async fn caught_by(bench: &TrialEnvironment, defect: &'static Defect) -> Vec<String> {
    let files = bench.only(|_, it| !is_heavy(it) && declares(it, &defect.breaks));
    if files.is_empty() {
        return Vec::new();
    }
    let choice = TrialColumn::Deployment.choice();
    let result = bench.run(&defect.id, choice, files, with_defect(defect)).await;
    let verdicts = by_requirement(&result.scenarios);
    // A target that refuses the token violates the specification before any scenario.
    let is_refused = result.trouble.is_some() && result.outcome == RunOutcome::NonConformant;
    let is_caught = |id: &&String| is_refused || is_noticed(id, verdicts.get(*id));
    defect.breaks.iter().filter(is_caught).cloned().collect()
}

/// The gating requirements of the matrix that neither a defect nor a mutant made fail as a deployment.
pub fn unproven<'c>(
    files: &[ScenarioFile],
    matrix: &[MatrixRow],
    caught: impl Iterator<Item = &'c String>,
    mutants: &'c [MutantTrial],
) -> Vec<UnprovenRow> {
    let killed = mutants.iter().flat_map(|trial| trial.killers(TrialColumn::Deployment));
    let noticed: BTreeSet<&String> = caught.chain(killed).collect();
    let gating = matrix.iter().filter(|row| row.is_gating && !noticed.contains(&row.requirement));
    gating
        .map(|row| UnprovenRow {
            requirement: row.requirement.clone(),
            reason: reason(files, &row.requirement),
        })
        .collect()
}

fn reason(files: &[ScenarioFile], requirement: &str) -> UnprovenReason {
    let scenarios = files.iter().flat_map(|file| &file.scenarios);
    let checking = scenarios.filter(|it| declared::requirements(&it.steps).contains(requirement));
    let kinds = checking.map(|scenario| match scenario.needs("admin") {
        true => UnprovenReason::NeedsControlPlane,
        false if is_heavy(scenario) => UnprovenReason::Heavy,
        false => UnprovenReason::NotNoticed,
    });
    kinds.max().unwrap_or(UnprovenReason::NotNoticed)
}
