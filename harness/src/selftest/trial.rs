//! One trial: a run of some scenarios on a target.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::contract::Level;
use moot_fixtures::register;
use serde::Deserialize;

use crate::run::environment::{TargetChoice, TargetOptions};
use crate::run::{Interruption, Kept, RunOptions, run, run_until};
use crate::scenario::model::ScenarioFile;
use crate::verdict::Verdict;
use crate::verdict::result::{Event, RunResult, ScenarioResult, Subject};

/// The tag of scenarios that send megabytes or many calls. Trials skip them unless a defect needs them.
pub const HEAVY: &str = "heavy";

/// A trial runs each scenario that it is about, and one in this many of the others.
const SAMPLE_EVERY: usize = 12;

/// Trials on deployments at the same time, for each lane of the bench: their clock is real, so that a trial
/// waits more than it works.
const DEPLOYMENTS_OF_A_LANE: usize = 4;

/// Called with the name of each trial that has ended.
pub type TrialListener = Arc<dyn Fn(&str) + Send + Sync>;

/// What all trials of a self-test share.
#[derive(Clone)]
pub struct Bench {
    /// The suite, parsed.
    pub files: Vec<ScenarioFile>,
    /// Trials that run at the same time.
    pub lanes: usize,
    /// Scenarios of one trial that run at the same time.
    pub jobs: usize,
    /// Shows progress.
    pub tell: TrialListener,
}

/// Which scenarios a trial runs beside those that it is about.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// All the others, instead of a sample.
    pub is_thorough: bool,
    /// Heavy scenarios too, of those that the trial is about.
    pub with_heavy: bool,
    /// The number of the trial. It shifts the sample, so that the trials cover the suite together.
    pub turn: usize,
}

impl Bench {
    /// The scenarios that `keeps` accepts, in their files.
    pub fn only(&self, keeps: impl FnMut(&ScenarioFile, usize) -> bool) -> Vec<ScenarioFile> {
        only(&self.files, keeps)
    }

    /// Trials on deployments that run at the same time.
    pub(super) fn lanes_on_deployments(&self) -> usize {
        self.lanes * DEPLOYMENTS_OF_A_LANE
    }

    /// All scenarios that are not heavy.
    pub fn light(&self) -> Vec<ScenarioFile> {
        self.only(|file, at| !is_heavy(file, at))
    }

    /// The scenarios that a trial is about, and a sample of the others.
    pub(super) fn sample(
        &self,
        sampling: Sampling,
        is_about: impl Fn(&ScenarioFile, usize) -> bool,
    ) -> Vec<ScenarioFile> {
        let mut others = sampling.turn;
        let drawn = self.only(|file, at| {
            let is_about = is_about(file, at);
            others += usize::from(!is_about);
            match (is_heavy(file, at), is_about) {
                (true, _) => sampling.with_heavy && is_about,
                (false, true) => true,
                (false, false) => sampling.is_thorough || others.is_multiple_of(SAMPLE_EVERY),
            }
        });
        // A suite of few scenarios may have none of this turn.
        if drawn.is_empty() { self.light() } else { drawn }
    }

    /// Runs scenarios on a target. The run tag follows from the seed. `name` is shown as progress.
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

    /// As [`Bench::run`], with the run tag of `options`.
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
        let result = apart(run(options, |_| ())).await;
        (self.tell)(name);
        result
    }

    /// Runs scenarios one by one, until `interruption` is told. The run tag follows from the seed.
    pub(super) async fn run_until(
        &self,
        choice: TargetChoice,
        files: Arc<Vec<ScenarioFile>>,
        options: TargetOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> RunResult {
        let run_tag = format!("moot-{:08x}", options.seed);
        let options = RunOptions {
            jobs: Some(1),
            kept: Kept::Outline,
            ..RunOptions::new(choice, TargetOptions { run_tag, ..options }, files)
        };
        apart(run_until(options, interruption, on_event)).await
    }
}

/// The scenarios that `keeps` accepts, in their files. Files without one are left out.
pub(super) fn only(
    files: &[ScenarioFile],
    mut keeps: impl FnMut(&ScenarioFile, usize) -> bool,
) -> Vec<ScenarioFile> {
    let mut all = Vec::new();
    for file in files {
        let kept = (0..file.scenarios.len()).filter(|at| keeps(file, *at));
        let scenarios: Vec<_> = kept.map(|at| file.scenarios[at].clone()).collect();
        if !scenarios.is_empty() {
            all.push(file.with(scenarios));
        }
    }
    all
}

/// Runs in a task of its own, so that trials run on several threads.
async fn apart(run: impl Future<Output = RunResult> + Send + 'static) -> RunResult {
    tokio::spawn(run).await.unwrap_or_else(|broken| {
        // Nothing cancels the task, so it panicked.
        std::panic::resume_unwind(broken.into_panic())
    })
}

/// The results of all trials, in the order of the trials. At most `lanes` run at the same time.
pub async fn side_by_side<F: Future>(
    trials: impl IntoIterator<Item = F>,
    lanes: usize,
) -> Vec<F::Output> {
    let numbered =
        trials.into_iter().enumerate().map(|(at, trial)| async move { (at, trial.await) });
    let mut ended: Vec<_> = stream::iter(numbered).buffer_unordered(lanes).collect().await;
    ended.sort_by_key(|(at, _)| *at);
    ended.into_iter().map(|(_, result)| result).collect()
}

/// Whether the scenario at this index is heavy.
pub fn is_heavy(file: &ScenarioFile, at: usize) -> bool {
    file.scenarios[at].tags.iter().any(|tag| tag == HEAVY)
}

/// Of a defect in the part of a shard, the id.
#[derive(Deserialize)]
pub(super) struct IdRow {
    pub(super) id: String,
}

/// How much a verdict says of a requirement. A check that did not run says nothing, so that each other verdict
/// counts more.
pub(super) fn weight(verdict: Verdict) -> (bool, Verdict) {
    (verdict != Verdict::NotRun, verdict)
}

/// The worst verdict of each requirement.
pub fn by_requirement(result: &RunResult) -> BTreeMap<String, Verdict> {
    worst(result.scenarios.iter())
}

/// The worst verdict of each requirement in one scenario.
pub(super) fn of_scenario(scenario: &ScenarioResult) -> BTreeMap<String, Verdict> {
    worst([scenario])
}

fn worst<'a>(scenarios: impl IntoIterator<Item = &'a ScenarioResult>) -> BTreeMap<String, Verdict> {
    let mut worst = BTreeMap::new();
    let steps = scenarios.into_iter().flat_map(|scenario| &scenario.steps);
    for check in steps.flat_map(|step| &step.checks) {
        if let Subject::Requirement(id) = &check.subject {
            let known = worst.entry(id.to_string()).or_insert(check.verdict);
            if weight(check.verdict) > weight(*known) {
                *known = check.verdict;
            }
        }
    }
    worst
}

/// Whether a verdict reports that its requirement is broken. A stated requirement has to fail; for a
/// requirement of a lower level, a warning is enough.
pub(super) fn is_noticed(id: &str, verdict: Option<&Verdict>) -> bool {
    match register::get(id).map(|row| row.level) {
        Some(Level::Stated) | None => verdict == Some(&Verdict::Fail),
        Some(Level::Inherited | Level::Example | Level::Open) => {
            matches!(verdict, Some(Verdict::Fail | Verdict::Warn))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_noticed;
    use crate::verdict::Verdict;

    #[test]
    fn a_stated_row_has_to_fail_and_a_lower_one_may_warn() {
        for (id, verdict, expected) in [
            ("list-legal-requests.status-200", Some(Verdict::Fail), true),
            ("list-legal-requests.status-200", Some(Verdict::Warn), false),
            ("list-legal-requests.status-200", Some(Verdict::Pass), false),
            ("list-legal-requests.status-200", None, false),
            ("errors.status-member-equals-status", None, false),
        ] {
            assert_eq!(is_noticed(id, verdict.as_ref()), expected, "{id} {verdict:?}");
        }
    }
}
