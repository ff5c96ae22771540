//! The suite on the recorded responses of a deployment, as they are and with defects.
//!
//! One run records the deployment, within its consents. The recording is then judged once unchanged, and once for each
//! defect that only edits responses. A check is alive if it passes on the recorded responses and fails on edited
//! responses.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use moot_fixtures::DataError;
use moot_mock::defect::Defect;
use serde::Serialize;

use super::matrix::{self, MatrixRow};
use super::overlay::DefectOverlay;
use super::trial::{TrialEnvironment, by_requirement, is_noticed, side_by_side};
use crate::client::recording::{Recorder, RecordingIndex};
use crate::run::environment::{ResponseOverlay, TargetChoice, TargetOptions};
use crate::run::{RunOptions, recording_index, run};
use crate::verdict::Verdict;
use crate::verdict::result::{Event, RunResult};

/// The results on a deployment, as data.
#[derive(Debug, Clone, Serialize)]
pub struct TargetSelftest {
    pub version: &'static str,
    pub base_url: String,
    pub requests_sent: u64,
    /// The exit code of the run that recorded it.
    pub run_exit_code: u8,
    /// The defects that were tried.
    pub defects: Vec<DefectOnTarget>,
    /// The requirements that were judged, and the defects that they noticed.
    pub checks: Vec<CheckOnTarget>,
}

/// A defect in the recorded responses of a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct DefectOnTarget {
    /// The defect.
    #[serde(flatten)]
    pub defect: &'static Defect,
    pub fate: DefectFate,
    /// Scenarios in which it changed a response.
    pub scenarios_changed: usize,
    /// Requirements with a `fail` or `warn` that is worse than the verdict without the defect.
    pub noticed: BTreeMap<String, Verdict>,
}

/// Whether a defect was caught, and why it was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DefectFate {
    /// A check of a requirement that it breaks noticed it.
    Caught,
    /// It changed no recorded response.
    Unchanged,
    /// No check of a requirement that it breaks passes without it.
    NotJudged,
    /// It changed responses, but no check can notice it from edited responses alone.
    NotShown,
}

/// A requirement that was judged on a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct CheckOnTarget {
    /// The requirement, with the defects that it noticed.
    #[serde(flatten)]
    pub row: MatrixRow,
    /// The verdict on the deployment without a defect.
    pub verdict: Verdict,
}

impl CheckOnTarget {
    /// Whether it passes, and noticed a defect.
    pub fn is_alive(&self) -> bool {
        self.verdict == Verdict::Pass && !self.row.killed_by.is_empty()
    }
}

impl TargetSelftest {
    /// The defects with this fate.
    pub fn of_fate(&self, fate: DefectFate) -> Vec<&DefectOnTarget> {
        self.defects.iter().filter(|it| it.fate == fate).collect()
    }

    /// 0 if at least one check is alive, otherwise 3.
    pub fn exit_code(&self) -> u8 {
        if self.checks.iter().any(CheckOnTarget::is_alive) { 0 } else { 3 }
    }
}

/// Tries each defect on the recording in `folder`, which [`record`] made of this run.
pub async fn on_target(
    bench: &TrialEnvironment,
    run: &RunResult,
    folder: &Path,
    all: Vec<&'static Defect>,
) -> TargetSelftest {
    let result = judge(bench, "the responses as they are", folder, None).await;
    let sound = by_requirement(&result.scenarios);
    let trials = all.into_iter().map(|defect| try_defect(bench, folder, &sound, defect));
    let defects: Vec<DefectOnTarget> = side_by_side(trials, bench.lanes).await;
    let checks = checks(bench, &sound, &defects);
    TargetSelftest {
        version: env!("CARGO_PKG_VERSION"),
        base_url: run.target.base_url.clone(),
        requests_sent: run.requests_sent,
        run_exit_code: run.exit_code(),
        defects,
        checks,
    }
}

/// Records a deployment in `folder`: the one run that sends requests. If the target cannot be used, the result says
/// why, and nothing is recorded.
///
/// # Errors
/// The recording cannot be written.
pub async fn record(
    bench: &TrialEnvironment,
    choice: TargetChoice,
    options: TargetOptions,
    folder: &Path,
) -> Result<RunResult, DataError> {
    let recorder = Arc::new(Recorder::default());
    let run_tag = options.run_tag.clone();
    let tell = Arc::clone(&bench.tell);
    let run_options = RunOptions {
        recorder: Some(Arc::clone(&recorder)),
        ..RunOptions::new(choice, options, bench.light())
    };
    let result = run(run_options, move |event| {
        if let Event::Ended(scenario) = event {
            tell(&scenario.name.to_string());
        }
    })
    .await;
    if result.trouble.is_none() {
        let index = RecordingIndex { run_tag, ..recording_index(&result) };
        recorder.write(folder, index, &result.masks)?;
    }
    Ok(result)
}

/// Judges the recording, with a defect if one is given.
async fn judge(
    bench: &TrialEnvironment,
    name: &str,
    folder: &Path,
    overlay: Option<Arc<DefectOverlay>>,
) -> RunResult {
    let index = RecordingIndex::read(folder);
    let (seed, run_tag) = index.map(|index| (index.seed, index.run_tag)).unwrap_or_default();
    let overlay = overlay.map(|it| it as Arc<dyn ResponseOverlay>);
    let options = TargetOptions { seed, run_tag, overlay, ..TargetOptions::default() };
    let choice = TargetChoice::Recording(folder.to_owned());
    bench.run(name, choice, bench.light(), options).await
}

async fn try_defect(
    bench: &TrialEnvironment,
    folder: &Path,
    sound: &BTreeMap<String, Verdict>,
    defect: &'static Defect,
) -> DefectOnTarget {
    let overlay = Arc::new(DefectOverlay::new(defect));
    let result = judge(bench, &defect.id, folder, Some(Arc::clone(&overlay))).await;
    let changed = overlay.changed();
    let noticed: BTreeMap<String, Verdict> = by_requirement(&result.scenarios)
        .into_iter()
        .filter(|(id, verdict)| {
            verdict.is_violation() && sound.get(id).is_none_or(|before| verdict > before)
        })
        .collect();
    let is_caught = defect.breaks.iter().any(|id| is_noticed(id, noticed.get(id)));
    let is_judged = defect.breaks.iter().any(|id| sound.get(id) == Some(&Verdict::Pass));
    let fate = match (is_caught, changed.is_empty(), is_judged) {
        (true, _, _) => DefectFate::Caught,
        (false, true, _) => DefectFate::Unchanged,
        (false, false, false) => DefectFate::NotJudged,
        (false, false, true) => DefectFate::NotShown,
    };
    DefectOnTarget { defect, fate, scenarios_changed: changed.len(), noticed }
}

fn checks(
    bench: &TrialEnvironment,
    sound: &BTreeMap<String, Verdict>,
    defects: &[DefectOnTarget],
) -> Vec<CheckOnTarget> {
    let noticed = defects.iter().map(|it| (it.defect, &it.noticed));
    matrix::rows(&bench.files, noticed)
        .into_iter()
        .filter_map(|row| {
            let verdict = *sound.get(&row.requirement)?;
            Some(CheckOnTarget { row, verdict })
        })
        .collect()
}
