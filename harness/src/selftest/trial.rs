//! One run of the suite on the mock in this process, laid over with what is tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};

use crate::environment::{TargetChoice, TargetOptions};
use crate::result::{RunResult, Subject};
use crate::run::{Kept, RunOptions, run};
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;

/// The tag of scenarios that move megabytes or many calls; trials leave them out unless they are
/// asked for.
pub const HEAVY: &str = "heavy";

/// Is told the name of each trial that has ended.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// What every trial of a self-test shares.
#[derive(Clone)]
pub struct Bench {
    /// The suite that is tested, parsed.
    pub files: Vec<ScenarioFile>,
    /// Trials side by side.
    pub lanes: usize,
    /// Scenarios side by side in one trial.
    pub jobs: usize,
    /// Who shows progress.
    pub tell: Tell,
}

impl Bench {
    /// The scenarios that `keeps` says, in their files; files without one are gone.
    pub fn only(&self, keeps: impl Fn(&ScenarioFile, usize) -> bool) -> Vec<ScenarioFile> {
        let kept = |file: &ScenarioFile| {
            let indices = (0..file.scenarios.len()).filter(|at| keeps(file, *at));
            let scenarios: Vec<_> = indices.map(|at| file.scenarios[at].clone()).collect();
            ScenarioFile {
                stem: file.stem.clone(),
                section: file.section.clone(),
                title: file.title.clone(),
                scenarios,
            }
        };
        self.files.iter().map(kept).filter(|file| !file.scenarios.is_empty()).collect()
    }

    /// All scenarios that are not heavy.
    pub fn light(&self) -> Vec<ScenarioFile> {
        self.only(|file, at| !is_heavy(file, at))
    }

    /// Runs these scenarios on a target, with the seed and the mock's settings of `options`; the tag
    /// of the run follows from the seed. `name` says what is tried.
    pub async fn run(
        &self,
        name: &str,
        choice: TargetChoice,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
        options: TargetOptions,
    ) -> RunResult {
        let run_tag = format!("moot-{:08x}", options.seed);
        self.run_tagged(name, choice, files, TargetOptions { run_tag, ..options }).await
    }

    /// As [`Bench::run`], with the tag of `options`.
    pub async fn run_tagged(
        &self,
        name: &str,
        choice: TargetChoice,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
        options: TargetOptions,
    ) -> RunResult {
        let options = RunOptions {
            jobs: Some(self.jobs),
            kept: Kept::Outline,
            ..RunOptions::new(choice, options, files)
        };
        // A task of its own, so that trials side by side have a thread each.
        let result = tokio::spawn(run(options, |_| ())).await.unwrap_or_else(|broken| {
            // Nobody cancels it, so it panicked, and does so here too.
            std::panic::resume_unwind(broken.into_panic())
        });
        (self.tell)(name);
        result
    }
}

/// What comes of all trials, in their order, so many of them at a time. A slow one holds up no other.
pub async fn side_by_side<F: Future>(
    trials: impl IntoIterator<Item = F>,
    lanes: usize,
) -> Vec<F::Output> {
    let numbered =
        trials.into_iter().enumerate().map(|(at, trial)| async move { (at, trial.await) });
    let mut ended: Vec<_> = stream::iter(numbered).buffer_unordered(lanes).collect().await;
    ended.sort_by_key(|(at, _)| *at);
    ended.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Whether the scenario at this index is heavy.
pub fn is_heavy(file: &ScenarioFile, at: usize) -> bool {
    file.scenarios[at].tags.iter().any(|tag| tag == HEAVY)
}

/// The worst verdict of each requirement.
pub fn by_requirement(result: &RunResult) -> BTreeMap<String, Verdict> {
    let mut worst = BTreeMap::new();
    let steps = result.scenarios.iter().flat_map(|scenario| &scenario.steps);
    for check in steps.flat_map(|step| &step.checks) {
        if let Subject::Requirement(id) = &check.subject {
            let known = worst.entry(id.to_string()).or_insert(check.verdict);
            *known = check.verdict.max(*known);
        }
    }
    worst
}
