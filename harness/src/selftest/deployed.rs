//! The suite on a deployment's own answers: asked once, and then heard again with a defect laid over
//! them, without another request.
//!
//! The deployment is recorded by one run under its consents. The recording is judged as it is, then
//! once for each defect that rewrites responses. A check is alive there where it passes on the answers
//! as they are and fails on erring ones; what was never judged there is told, not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::Bench;
use super::defects::{Defect, is_noticed};
use super::matrix::{self, Row};
use super::trial::{by_requirement, side_by_side};
use crate::environment::{AnswerOverlay, TargetChoice, TargetOptions};
use crate::recording::{Recorder, RecordingError, RecordingPlan};
use crate::result::RunResult;
use crate::run::{Kept, RunOptions, run};
use crate::selftest::overlay::DefectOverlay;
use crate::verdict::Verdict;

/// Why a deployment can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DeployedError {
    /// It can't be reached, refuses the credentials, or its file is wrong: what the run said, and
    /// the exit code that it ended with.
    #[error("{said}")]
    Trouble {
        /// As the run said it.
        said: String,
        /// 2, 4.
        exit_code: u8,
    },
    /// The recording of its answers can't be kept or read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// All that was found on a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct Deployed {
    /// The version of moot.
    pub version: &'static str,
    /// Its base address.
    pub base_url: String,
    /// Requests that were sent to it.
    pub requests_sent: u64,
    /// How the run on it ended, no defect laid over: the exit code of `moot run`.
    pub run_exit_code: u8,
    /// Defects, each with what became of it.
    pub defects: Vec<Laid>,
    /// The rows that were judged there, and the defects that they noticed.
    pub checks: Vec<Judged>,
}

/// A defect, laid over the answers of a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct Laid {
    /// The defect.
    #[serde(flatten)]
    pub defect: Defect,
    /// What became of it.
    pub fate: Fate,
    /// Scenarios of which it changed an answer.
    pub scenarios_changed: usize,
    /// Rows that fail or warn with it, and did neither without.
    pub noticed: BTreeMap<String, Verdict>,
}

/// What became of a defect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A check of what it breaks reported it.
    Caught,
    /// It changed nothing that was answered.
    Unchanged,
    /// No check of what it breaks passes there without it.
    NotJudged,
    /// It changed answers, and a rewritten answer alone does not show it to a check of what it breaks.
    NotShown,
}

/// A row that was judged on a deployment.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// The row; killed by the defects that it noticed.
    #[serde(flatten)]
    pub row: Row,
    /// What it says of the deployment as it is.
    pub verdict: Verdict,
}

impl Judged {
    /// Whether it passes there, and was seen to notice.
    pub fn is_alive(&self) -> bool {
        self.verdict == Verdict::Pass && !self.row.killed_by.is_empty()
    }
}

impl Deployed {
    /// The defects with this fate.
    pub fn of_fate(&self, fate: Fate) -> Vec<&Laid> {
        self.defects.iter().filter(|laid| laid.fate == fate).collect()
    }

    /// 0 where at least one check proves alive there, else 3: nothing was shown.
    pub fn exit_code(&self) -> u8 {
        if self.checks.iter().any(Judged::is_alive) { 0 } else { 3 }
    }
}

/// Asks the deployment of `choice` once, keeps its answers below `folder`, and lays each defect over
/// them.
///
/// # Errors
/// [`DeployedError`].
pub async fn deployed(
    bench: &Bench,
    choice: TargetChoice,
    options: TargetOptions,
    folder: &Path,
    all: Vec<Defect>,
) -> Result<Deployed, DeployedError> {
    let asked = recorded(bench, choice, options, folder).await?;
    let heard = heard(bench, "the answers as they are", folder, None).await;
    let sound = by_requirement(&heard);
    let trials = all.into_iter().map(|defect| laid(bench, folder, &sound, defect));
    let defects: Vec<Laid> = side_by_side(trials, bench.lanes).await;
    let checks = checks(bench, &sound, &defects);
    Ok(Deployed {
        version: env!("CARGO_PKG_VERSION"),
        base_url: asked.target.base_url.clone(),
        requests_sent: asked.requests_sent,
        run_exit_code: asked.exit_code(),
        defects,
        checks,
    })
}

/// The one run that asks the deployment.
async fn recorded(
    bench: &Bench,
    choice: TargetChoice,
    options: TargetOptions,
    folder: &Path,
) -> Result<RunResult, DeployedError> {
    let recorder = Arc::new(Recorder::default());
    let asked =
        RecordingPlan { run_tag: options.run_tag.clone(), strict: false, selectors: Vec::new() };
    let told = Arc::clone(&bench.tell);
    let run_options = RunOptions {
        kept: Kept::Outline,
        recorder: Some(Arc::clone(&recorder)),
        ..RunOptions::new(choice, options, bench.light())
    };
    let result = run(run_options, move |event| {
        if let crate::run::Event::Ended(scenario) = event {
            told(&scenario.name);
        }
    })
    .await;
    if let Some(said) = &result.trouble {
        return Err(DeployedError::Trouble { said: said.clone(), exit_code: result.exit_code() });
    }
    recorder.write(folder, asked, &result.recording_end())?;
    Ok(result)
}

/// Judges the recording, with a defect laid over it.
async fn heard(
    bench: &Bench,
    name: &str,
    folder: &Path,
    overlay: Option<Arc<DefectOverlay>>,
) -> RunResult {
    let index = crate::recording::RecordingIndex::read(folder);
    let (seed, run_tag) = index.map(|index| (index.seed, index.run_tag)).unwrap_or_default();
    let overlay = overlay.map(|it| it as Arc<dyn AnswerOverlay>);
    let options = TargetOptions { seed, run_tag, overlay, ..TargetOptions::default() };
    let choice = TargetChoice::Recording(folder.to_owned());
    bench.run_tagged(name, choice, bench.light(), options).await
}

async fn laid(
    bench: &Bench,
    folder: &Path,
    sound: &BTreeMap<String, Verdict>,
    defect: Defect,
) -> Laid {
    let overlay = DefectOverlay::of(&defect.id).map(Arc::new);
    let result = heard(bench, &defect.id, folder, overlay.clone()).await;
    let changed: BTreeSet<String> = overlay.map(|it| it.changed()).unwrap_or_default();
    let is_bad = |verdict: Verdict| matches!(verdict, Verdict::Fail | Verdict::Warn);
    let noticed: BTreeMap<String, Verdict> = by_requirement(&result)
        .into_iter()
        .filter(|(id, verdict)| {
            is_bad(*verdict) && sound.get(id).is_none_or(|before| verdict > before)
        })
        .collect();
    let is_caught = defect.breaks.iter().any(|id| is_noticed(id, noticed.get(id)));
    let is_judged = defect.breaks.iter().any(|id| sound.get(id) == Some(&Verdict::Pass));
    let fate = match (is_caught, changed.is_empty(), is_judged) {
        (true, _, _) => Fate::Caught,
        (false, true, _) => Fate::Unchanged,
        (false, false, false) => Fate::NotJudged,
        (false, false, true) => Fate::NotShown,
    };
    Laid { defect, fate, scenarios_changed: changed.len(), noticed }
}

fn checks(bench: &Bench, sound: &BTreeMap<String, Verdict>, defects: &[Laid]) -> Vec<Judged> {
    let noticed = defects.iter().map(|laid| (laid.defect.id.as_str(), &laid.noticed));
    matrix::rows(&bench.files, noticed)
        .into_iter()
        .filter_map(|row| {
            let verdict = *sound.get(&row.requirement)?;
            Some(Judged { row, verdict })
        })
        .collect()
}
