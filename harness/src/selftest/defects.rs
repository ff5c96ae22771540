//! Trials of defects: does a check notice a service with one defect?
//!
//! A defect is tried on the scenarios that declare a requirement that it breaks, and on a sample of the others. The
//! sample shows unrelated failures. If only an implicit check can notice the defect, or the self-test is thorough, it
//! is tried on all scenarios.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moot_mock::defect::{self, Defect};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::deployment_matrix;
use super::finding_fit::{FindingMisfit, misfits};
use super::history::{self, HistoryDifference};
use super::trial::{
    TrialEnvironment, by_requirement, declared_requirements, declares, is_heavy, is_noticed,
    of_shard, side_by_side, with_defect,
};
use crate::run::environment::{Shard, TargetChoice};
use crate::scenario::ScenarioName;
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::result::{RunResult, ScenarioResult};

/// A defect, and the verdicts on the service that has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DefectTrial {
    /// The defect.
    #[serde(flatten, deserialize_with = "defect_by_id")]
    pub defect: &'static Defect,
    /// The requirements of `breaks` whose checks noticed it. If this is empty, the defect survived.
    pub caught_by: Vec<String>,
    /// The requirements of `breaks` that noticed it as a deployment. Empty if nothing is tried there.
    pub caught_as_deployment_by: Vec<String>,
    /// Requirements that failed, although the defect does not name them.
    pub unrelated: Vec<String>,
    /// Every requirement that failed or warned.
    pub noticed: BTreeMap<String, Verdict>,
    /// If the defect survived: the verdicts on the requirements of `breaks`.
    pub said: BTreeMap<String, String>,
    /// Findings whose row, place or remedy does not fit.
    pub misfits: Vec<FindingMisfit>,
    /// Requirements of `breaks` that noticed it only on a fresh service, or only on a used one.
    pub history: Vec<HistoryDifference>,
    /// The number of scenarios that ran.
    pub scenarios: usize,
}

impl DefectTrial {
    /// Whether a check of a requirement in `breaks` noticed the defect.
    pub fn is_caught(&self) -> bool {
        !self.caught_by.is_empty()
    }
}

/// Tries each defect of a shard, in this order. With `is_deployed`, each is tried as a deployment too, and the
/// scenarios that noticed it run again on a fresh and on a used deployment.
pub async fn defects(
    bench: &TrialEnvironment,
    all: &[&'static Defect],
    shard: Shard,
    is_thorough: bool,
    is_deployed: bool,
) -> Vec<DefectTrial> {
    let declared = declared_requirements(&bench.files);
    let lanes = if is_deployed { bench.lanes_on_deployments() } else { bench.lanes };
    let trials = of_shard(all.iter().copied(), shard).map(|(turn, defect)| {
        let is_thorough = is_thorough || !defect.breaks.iter().all(|id| declared.contains(id));
        let files = bench.sample(turn, is_thorough, |scenario| {
            declares(scenario, &defect.breaks) && (defect.heavy || !is_heavy(scenario))
        });
        let scenarios = files.iter().map(|file| file.scenarios.len()).sum();
        async move {
            let (files, options) = (Arc::new(files), with_defect(defect));
            let choice = TargetChoice::InProcess;
            let result = bench.run(&defect.id, choice, Arc::clone(&files), options).await;
            let misfits = misfits(defect, &files, &result);
            let mut trial = DefectTrial { scenarios, misfits, ..trial(defect, &result) };
            if is_deployed {
                let noticing = noticing_scenarios(bench, defect, &result);
                trial.history = history::differences(defect, noticing).await;
                trial.caught_as_deployment_by = deployment_matrix::caught_by(bench, defect).await;
            }
            trial
        }
    });
    side_by_side(trials, lanes).await
}

fn defect_by_id<'de, D: Deserializer<'de>>(source: D) -> Result<&'static Defect, D::Error> {
    let row = Value::deserialize(source)?;
    let id = row["id"].as_str().unwrap_or_default();
    defect::named(id).ok_or_else(|| D::Error::custom(format!("there is no defect `{id}`")))
}

/// The scenarios in which a requirement of `breaks` noticed the defect, without heavy ones.
fn noticing_scenarios(
    bench: &TrialEnvironment,
    defect: &Defect,
    result: &RunResult,
) -> Vec<ScenarioFile> {
    let is_noticing = |scenario: &&ScenarioResult| {
        let verdicts = by_requirement([*scenario]);
        defect.breaks.iter().any(|id| is_noticed(id, verdicts.get(id)))
    };
    let noticing = result.scenarios.iter().filter(is_noticing);
    let names: BTreeSet<ScenarioName> = noticing.map(|it| it.name.without_row()).collect();
    let mut left = history::SCENARIOS_MAX;
    bench.only(|file, scenario| {
        let name = ScenarioName::new(&file.stem, &scenario.id);
        let is_taken = left > 0 && names.contains(&name) && !is_heavy(scenario);
        left -= usize::from(is_taken);
        is_taken
    })
}

fn trial(defect: &'static Defect, result: &RunResult) -> DefectTrial {
    let verdicts = by_requirement(&result.scenarios);
    let caught_by: Vec<String> =
        defect.breaks.iter().filter(|id| is_noticed(id, verdicts.get(*id))).cloned().collect();
    let is_named = |id: &String| defect.breaks.contains(id) || defect.also.contains(id);
    let unrelated = verdicts
        .iter()
        .filter(|(id, verdict)| **verdict == Verdict::Fail && !is_named(id))
        .map(|(id, _)| id.clone())
        .collect();
    let mut said = BTreeMap::new();
    if caught_by.is_empty() {
        for id in &defect.breaks {
            let verdict = verdicts.get(id).map_or("was not judged", |verdict| verdict.as_str());
            said.insert(id.clone(), verdict.to_owned());
        }
        said.extend(result.trouble.iter().map(|trouble| ("trouble".to_owned(), trouble.clone())));
    }
    let noticed = verdicts.into_iter().filter(|(_, verdict)| verdict.is_violation()).collect();
    DefectTrial {
        defect,
        caught_by,
        caught_as_deployment_by: Vec::new(),
        unrelated,
        noticed,
        said,
        misfits: Vec::new(),
        history: Vec::new(),
        scenarios: 0,
    }
}
