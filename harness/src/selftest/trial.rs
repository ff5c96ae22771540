//! One trial: a run of some scenarios on a target.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_mock::defect::Defect;

use crate::run::environment::{Shard, TargetChoice, TargetOptions};
use crate::run::{Interruption, RunOptions, run, run_until};
use crate::scenario::model::{Scenario, ScenarioFile};
use crate::scenario::{ScenarioName, declared};
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, Event, RunResult, ScenarioResult, Subject};

/// The seed of every service with a defect.
pub(super) const SEED: u64 = 1;

/// The tag of scenarios that send megabytes or many calls. Trials skip them unless a defect needs them.
pub const HEAVY: &str = "heavy";

/// A trial runs the scenarios that it is about, and every 12th of the others.
const SAMPLE_EVERY: usize = 12;

/// Concurrent trials on deployments for each lane of the bench. Their clock is real, so a trial mostly waits.
const DEPLOYMENTS_OF_A_LANE: usize = 4;

/// The environment of all trials of a self-test.
#[derive(Clone)]
pub struct TrialEnvironment {
    /// The suite, parsed.
    pub files: Vec<ScenarioFile>,
    /// The number of concurrent trials.
    pub lanes: usize,
    /// The number of concurrent scenarios of one trial.
    pub jobs: usize,
    /// Called with the name of each trial that ended.
    pub tell: Arc<dyn Fn(&str) + Send + Sync>,
}

impl TrialEnvironment {
    /// The scenarios that `keeps` accepts, in their files.
    pub fn only(&self, keeps: impl FnMut(&ScenarioFile, &Scenario) -> bool) -> Vec<ScenarioFile> {
        only(&self.files, keeps)
    }

    /// The number of concurrent trials on deployments.
    pub(super) fn lanes_on_deployments(&self) -> usize {
        self.lanes * DEPLOYMENTS_OF_A_LANE
    }

    /// All scenarios that are not heavy.
    pub fn light(&self) -> Vec<ScenarioFile> {
        self.only(|_, scenario| !is_heavy(scenario))
    }

    /// The scenarios that a trial is about, and all others that are not heavy (`is_thorough`) or a sample of them.
    /// `turn` is the number of the trial. It shifts the sample, so that all trials together cover the suite.
    pub(super) fn sample(
        &self,
        turn: usize,
        is_thorough: bool,
        is_about: impl Fn(&Scenario) -> bool,
    ) -> Vec<ScenarioFile> {
        let mut others = turn;
        let drawn = self.only(|_, scenario| {
            let is_about = is_about(scenario);
            others += usize::from(!is_about);
            let is_drawn = is_thorough || others.is_multiple_of(SAMPLE_EVERY);
            is_about || (is_drawn && !is_heavy(scenario))
        });
        // The sample of a small suite may be empty.
        if drawn.is_empty() { self.light() } else { drawn }
    }

    /// Runs scenarios on a target. `name` is shown as progress.
    pub async fn run(
        &self,
        name: &str,
        choice: TargetChoice,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
        options: TargetOptions,
    ) -> RunResult {
        let options = run_options(self.jobs, choice, options, files);
        let result = apart(run(options, |_| ())).await;
        (self.tell)(name);
        result
    }

    /// Runs scenarios one at a time until the interruption.
    pub(super) async fn run_until(
        &self,
        choice: TargetChoice,
        files: Arc<Vec<ScenarioFile>>,
        options: TargetOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> RunResult {
        let options = run_options(1, choice, options, files);
        apart(run_until(options, interruption, on_event)).await
    }
}

/// The trials of a shard, each with its number in the plan.
pub(super) fn of_shard<T>(
    all: impl IntoIterator<Item = T>,
    shard: Shard,
) -> impl Iterator<Item = (usize, T)> {
    all.into_iter().enumerate().filter(move |(index, _)| shard.has(*index))
}

/// The options of a service with this defect.
pub(super) fn with_defect(defect: &Defect) -> TargetOptions {
    TargetOptions { seed: SEED, defects: vec![defect.id.clone()], ..TargetOptions::default() }
}

/// The options of a trial. Without a run tag, the tag is made from the seed.
pub(super) fn run_options(
    jobs: usize,
    choice: TargetChoice,
    mut target: TargetOptions,
    files: impl Into<Arc<Vec<ScenarioFile>>>,
) -> RunOptions {
    if target.run_tag.is_empty() {
        target.run_tag = format!("moot-{:08x}", target.seed);
    }
    RunOptions { jobs: Some(jobs), ..RunOptions::new(choice, target, files) }
}

/// The scenarios that `keeps` accepts, in their files. Files without one are left out.
pub(super) fn only(
    files: &[ScenarioFile],
    mut keeps: impl FnMut(&ScenarioFile, &Scenario) -> bool,
) -> Vec<ScenarioFile> {
    let mut all = Vec::new();
    for file in files {
        let kept = file.scenarios.iter().filter(|scenario| keeps(file, scenario));
        let scenarios: Vec<Scenario> = kept.cloned().collect();
        if !scenarios.is_empty() {
            all.push(ScenarioFile { scenarios, ..file.clone() });
        }
    }
    all
}

/// Runs in a separate task, so that trials run on several threads.
pub(super) async fn apart<T: Send + 'static>(run: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(run).await.unwrap_or_else(|broken| {
        // Nothing cancels the task, so it panicked.
        std::panic::resume_unwind(broken.into_panic())
    })
}

/// The results of all trials, in the order of the trials. At most `lanes` trials run at the same time.
pub(super) async fn side_by_side<F: Future>(
    trials: impl IntoIterator<Item = F>,
    lanes: usize,
) -> Vec<F::Output> {
    let numbered =
        trials.into_iter().enumerate().map(|(at, trial)| async move { (at, trial.await) });
    let mut ended: Vec<_> = stream::iter(numbered).buffer_unordered(lanes).collect().await;
    ended.sort_by_key(|(at, _)| *at);
    ended.into_iter().map(|(_, result)| result).collect()
}

/// Whether a scenario is heavy.
pub fn is_heavy(scenario: &Scenario) -> bool {
    scenario.tags.iter().any(|tag| tag == HEAVY)
}

/// Whether a scenario declares one of these requirements.
pub(super) fn declares(scenario: &Scenario, ids: &[String]) -> bool {
    let declared = declared::requirements(&scenario.steps);
    ids.iter().any(|id| declared.contains(id))
}

/// The requirements that these scenarios declare.
pub(super) fn declared_requirements(files: &[ScenarioFile]) -> BTreeSet<String> {
    let scenarios = files.iter().flat_map(|file| &file.scenarios);
    scenarios.flat_map(|scenario| declared::requirements(&scenario.steps)).collect()
}

/// The scenario with this name.
pub(super) fn scenario_named<'f>(
    files: &'f [ScenarioFile],
    name: &ScenarioName,
) -> Option<&'f Scenario> {
    let file = files.iter().find(|file| file.stem == name.stem)?;
    file.scenarios.iter().find(|scenario| scenario.id == name.id)
}

/// The order of verdicts for [`by_requirement`]. A check that did not run counts least.
pub(super) fn weight(verdict: Verdict) -> (bool, Verdict) {
    (verdict != Verdict::NotRun, verdict)
}

/// The worst verdict of each requirement in these scenarios.
pub(super) fn by_requirement<'a>(
    scenarios: impl IntoIterator<Item = &'a ScenarioResult>,
) -> BTreeMap<String, Verdict> {
    worst_verdicts(scenarios.into_iter().flat_map(ScenarioResult::checks))
}

/// The worst verdict of each requirement in these checks.
pub(super) fn worst_verdicts<'a>(
    checks: impl Iterator<Item = &'a CheckResult>,
) -> BTreeMap<String, Verdict> {
    let mut worst = BTreeMap::new();
    for check in checks {
        if let Subject::Requirement(id) = &check.subject {
            let known = worst.entry(id.to_string()).or_insert(check.verdict);
            if weight(check.verdict) > weight(*known) {
                *known = check.verdict;
            }
        }
    }
    worst
}

/// Whether a verdict reports that the requirement is broken: a `fail`, or a `warn` for a level below stated.
pub(super) fn is_noticed(id: &str, verdict: Option<&Verdict>) -> bool {
    match register::get(id).map(|row| row.level) {
        Some(Level::Stated) | None => verdict == Some(&Verdict::Fail),
        Some(Level::Inherited | Level::Example | Level::Open) => {
            verdict.is_some_and(|verdict| verdict.is_violation())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_noticed;
    use crate::verdict::Verdict;

    #[test]
    fn a_stated_row_must_fail_and_a_lower_one_may_warn() {
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
