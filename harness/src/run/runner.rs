//! Runs a suite: selects scenarios, opens the target, runs the scenarios and makes the result.
//!
//! A [`Runner`] is an opened target. `moot explore` runs many suites on one of them, with the same budgets, pace and
//! ledger.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::client::recording::RecordingIndex;
use crate::client::target_file::check_tolerated;
use crate::exchange::{TargetClass, TargetDescription};
use crate::run::environment::{Environment, OpenError, TargetChoice};
use crate::scenario::declared;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{self, PlanEntry};
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::expected::{self, ExpectedFailures};
use crate::verdict::result::{Event, ExpectedFailure, RunOutcome, RunResult, ScenarioResult};

use super::changes::OwnChanges;
use super::concurrent;
use super::context::RunContext;
use super::interruption::{Interruption, REASON};
use super::options::RunOptions;
use super::part::{PartScope, RunPart};
use super::snapshot_log::SnapshotLog;
use super::token_budget::TokenBudget;
use super::token_refused;
use super::views::RememberedViews;

/// Runs the selected scenarios. Errors are in the result.
pub async fn run(
    options: RunOptions,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> RunResult {
    run_until(options, Arc::default(), on_event).await
}

/// As [`run`], until `interruption`. Then no scenario starts, running ones end within a limited time, and the rest is
/// not run.
pub async fn run_until(
    options: RunOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> RunResult {
    match run_part(options, interruption, on_event).await {
        Ok(part) => part.concluded(PartScope::Whole),
        Err(result) => *result,
    }
}

/// As [`run_until`], without marks of known failures, so that parts can be joined.
///
/// # Errors
/// The result of a run whose target could not be opened.
pub async fn run_part(
    options: RunOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> Result<RunPart, Box<RunResult>> {
    let unopened = |outcome, why: String| {
        Box::new(RunResult { outcome, trouble: Some(why), ..blank(&options) })
    };
    let planned = plan::select(&options.files, &options.selectors)
        .map_err(|error| unopened(RunOutcome::Usage, error.to_string()))?;
    plan::select(&options.files, &options.excluded)
        .map_err(|error| unopened(RunOutcome::Usage, error.to_string()))?;
    if planned.is_empty() {
        let why = "there is no scenario to run".to_owned();
        return Err(unopened(RunOutcome::Incomplete, why));
    }
    let is_of_shard = |planned: &&PlanEntry<'_>| {
        options.only.as_ref().is_none_or(|only| only.contains(&planned.name().to_string()))
    };
    let places: Vec<(usize, usize)> =
        planned.iter().filter(is_of_shard).map(|planned| planned.place).collect();
    let files = Arc::clone(&options.files);
    let runner = Runner::open(options, interruption, on_event).await?;
    runner.announce(places.len());
    let scenarios = runner.run(&files, &places).await;
    Ok(runner.into_part(scenarios).await)
}

/// The index of the recording of a run, without the options that are needed to judge it again.
pub fn recording_index(result: &RunResult) -> RecordingIndex {
    RecordingIndex {
        recorded_at: result.started_at.clone(),
        seed: result.seed,
        exit_code: result.exit_code(),
        costs: result.costs(),
        ..RecordingIndex::default()
    }
}

/// An opened target.
pub struct Runner {
    shared: Arc<RunContext>,
    started: Instant,
    /// The result without scenarios.
    blank: RunResult,
    /// Known failures.
    expected: ExpectedFailures,
}

/// The result of a run that starts now, without scenarios.
fn blank(options: &RunOptions) -> RunResult {
    RunResult {
        target: describe_choice(&options.choice),
        seed: options.target.seed,
        own_rows: declared::own_rows(&options.files),
        reproduce: options.reproduce.clone(),
        repeat: options.repeat.clone(),
        started_at: format!("{:.0}", jiff::Timestamp::now()),
        masks: Arc::clone(&options.masks),
        ..RunResult::default()
    }
}

impl Runner {
    /// Opens the target of `options`. The selectors are not used. Known failures are checked against the files, or only
    /// against the register if there are no files.
    ///
    /// # Errors
    /// The result of a run whose target cannot be used, exit code 2 or 4; 3 if it was interrupted.
    pub async fn open(
        mut options: RunOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, Box<RunResult>> {
        let started = Instant::now();
        let blank = blank(&options);
        let masks = Arc::clone(&options.masks);
        let unopened = |outcome, why: String| {
            let trouble = Some(masks.mask(&why));
            Box::new(RunResult { outcome, trouble, duration: started.elapsed(), ..blank.clone() })
        };
        let opened = async {
            let files = Some(options.files.as_slice()).filter(|files| !files.is_empty());
            let expected = expected::read_for(options.choice.expected_file(&options.target), files)
                .map_err(|error| OpenError::Usage(error.to_string()))?;
            if let (TargetChoice::Http(file), Some(files)) = (&options.choice, files) {
                check_tolerated(file, files).map_err(OpenError::Usage)?;
            }
            let target = Environment::open(
                options.choice.clone(),
                options.target.clone(),
                Arc::clone(&masks),
            );
            Ok((target.await?, expected))
        };
        let opened = tokio::select! {
            opened = opened => opened,
            () = interruption.interrupted() => {
                return Err(unopened(RunOutcome::Incomplete, format!("{REASON} before it began")));
            }
        };
        let (mut target, expected) = match opened {
            Ok(opened) => opened,
            Err(OpenError::Usage(why)) => return Err(unopened(RunOutcome::Usage, why)),
            Err(OpenError::TokenEndpoint { why, exchange }) => {
                let mut result = unopened(RunOutcome::NonConformant, why);
                result.scenarios.push(token_refused::result(&exchange));
                return Err(result);
            }
            Err(OpenError::Unreachable(why)) => {
                return Err(unopened(RunOutcome::Unreachable, why));
            }
        };
        if options.tolerates_unmet_needs {
            target.tolerate_unmet_needs();
        }
        if let Some(recorder) = &options.recorder {
            target.record(Arc::clone(recorder));
        }
        // Known failures are matched with all checks.
        options.lists_checks |= !expected.entries.is_empty();
        let implicit = ImplicitContext::new(
            &base_path(&target.description().base_url),
            target.is_mock() || target.can_move_clock(),
        );
        implicit.note_clock_moved("earlier runs".to_owned(), target.index.clock_moved_seconds);
        let shared = RunContext {
            implicit,
            own_rows: Arc::new(blank.own_rows.clone()),
            options,
            snapshots: Mutex::default(),
            controls: Mutex::default(),
            lost_controls: Mutex::default(),
            changes: OwnChanges::default(),
            delivery_came: Mutex::default(),
            views: RememberedViews::default(),
            long_lists: Mutex::default(),
            token_budget: TokenBudget::default(),
            on_event: Box::new(on_event),
            interruption,
            target,
        };
        Ok(Self { shared: Arc::new(shared), started, blank, expected })
    }

    /// Whether nothing more may start: the run was interrupted, or the target stopped answering.
    pub fn is_over(&self) -> bool {
        self.shared.interruption.is_interrupted() || self.shared.target.has_given_up()
    }

    /// The opened target.
    pub fn target(&self) -> &Environment {
        &self.shared.target
    }

    /// Reports the number of scenarios that will run.
    pub fn announce(&self, scenarios: usize) {
        (self.shared.on_event)(Event::Planned { scenarios });
    }

    /// Runs the scenarios at these places (see [`PlanEntry`]). The results have the order of the places.
    pub async fn run(
        &self,
        files: &Arc<Vec<ScenarioFile>>,
        places: &[(usize, usize)],
    ) -> Vec<Arc<ScenarioResult>> {
        concurrent::run_all(&self.shared, files, places).await
    }

    /// The outcome and the reason of a run that ended early; conformant if it did not.
    pub fn early_end(&self) -> (RunOutcome, Option<String>) {
        let (mut outcome, mut trouble) = (RunOutcome::Conformant, None);
        if self.shared.interruption.is_interrupted() {
            outcome = outcome.max(RunOutcome::Incomplete);
            trouble = Some(format!("{REASON}; scenarios that had not started were not run"));
        }
        if let Some(why) = self.shared.target.refused_applications() {
            outcome = outcome.max(RunOutcome::Unreachable);
            trouble = Some(self.blank.masks.mask(&why));
        }
        let mistakes = self.shared.target.mistakes();
        if !mistakes.is_empty() {
            outcome = outcome.max(RunOutcome::Unreachable);
            trouble = Some(self.blank.masks.mask(&mistakes.join("; ")));
        }
        if self.shared.target.has_given_up() {
            outcome = outcome.max(RunOutcome::Unreachable);
            let why = "the target stopped answering, and the run was cut short";
            trouble = Some(why.to_owned());
        }
        (outcome, trouble)
    }

    /// Known failures, in the order of their file.
    pub fn expected(&self) -> &ExpectedFailures {
        &self.expected
    }

    /// Marks known failures in these results. Returns the state of each known failure.
    pub fn mark(&self, scenarios: &mut [ScenarioResult]) -> Vec<ExpectedFailure> {
        let meets = |need: &str| self.shared.target.missing(need).is_none();
        expected::apply(&self.expected, scenarios, &meets)
    }

    /// Cleans up. Returns the result of a run with these scenarios.
    pub async fn end(self, scenarios: Vec<Arc<ScenarioResult>>) -> RunResult {
        self.into_part(scenarios).await.concluded(PartScope::Whole)
    }

    /// Cleans up. Only a run of a whole suite finds unused snapshots.
    async fn into_part(self, scenarios: Vec<Arc<ScenarioResult>>) -> RunPart {
        let shared = &self.shared;
        tokio::select! {
            () = shared.target.cleanup() => {}
            () = shared.interruption.grace_over() => {}
        }
        let (outcome, trouble) = self.early_end();
        let mut scenarios: Vec<_> = scenarios.into_iter().map(Arc::unwrap_or_clone).collect();
        scenarios.extend(shared.target.refused_token_request().map(token_refused::result));
        let snapshots: SnapshotLog = std::mem::take(&mut *shared.snapshots.lock());
        let options = &shared.options;
        let is_suite = options.selectors.is_empty() && options.excluded.is_empty();
        let used = options.snapshots.as_ref();
        let snapshots = used.map(|(mode, dir)| snapshots.into_findings(*mode, dir, is_suite));
        let result = RunResult {
            outcome,
            trouble,
            target: shared.target.description(),
            scenarios,
            snapshots: snapshots.unwrap_or_default(),
            residue: shared.target.residue(),
            requests_sent: shared.target.requests_sent(),
            unanswered: shared.target.unanswered(),
            long_lists: shared.long_lists.lock().clone(),
            duration: self.started.elapsed(),
            ..self.blank
        };
        RunPart {
            result,
            target: shared.target.index.clone(),
            is_interrupted: shared.interruption.is_interrupted(),
            expected: self.expected,
        }
    }
}

fn describe_choice(choice: &TargetChoice) -> TargetDescription {
    let class = TargetClass::Unknown;
    let name = match choice {
        TargetChoice::InProcess | TargetChoice::InProcessDeployment => "mock".to_owned(),
        TargetChoice::Http(file) => return file.description(class),
        TargetChoice::Recording(dir) => dir.display().to_string(),
        TargetChoice::Wrong { name, .. } => name.clone(),
    };
    TargetDescription { name, base_url: String::new(), class }
}

fn base_path(base_url: &str) -> String {
    url::Url::parse(base_url).map(|url| url.path().to_owned()).unwrap_or_default()
}
