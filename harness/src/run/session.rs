//! An opened target and the runs on it. Budgets, pace and ledger last for all of them.
//!
//! [`run`](super::run()) opens one for its plan; exploring walks what it has drawn, and then again
//! what it makes smaller. Nothing here selects.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::run::environment::{Environment, OpenError, TargetChoice};
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::expected::{self, Expected};
use crate::verdict::result::{
    Event, ExpectedFailure, RunOutcome, RunResult, ScenarioResult, SnapshotFindings,
};

use crate::exchange::{TargetClass, TargetDescription};
use crate::scenario::declared;
use crate::scenario::model::{NEEDS, ScenarioFile};

use super::changes::OwnChanges;
use super::concurrent;
use super::context::RunContext;
use super::interruption::{Interruption, REASON};
use super::keep;
use super::options::RunOptions;
use super::part::{self, PartScope, RunPart};
use super::snapshots_seen::{SnapshotMode, SnapshotsSeen};
use super::token_budget::TokenBudget;
use super::token_refused;
use super::views::RememberedViews;

/// An opened target, and all that its walks share.
pub struct Runner {
    shared: Arc<RunContext>,
    begun: Instant,
    /// What was known before the target was opened: a result without scenarios.
    blank: RunResult,
    /// Known failures, which are marked in the end.
    expected: Expected,
}

/// The result of a run that begins now.
fn blank(options: &RunOptions) -> RunResult {
    RunResult {
        outcome: RunOutcome::Conformant,
        target: describe_choice(&options.choice),
        seed: options.target.seed,
        scenarios: Vec::new(),
        own_rows: declared::own_rows(&options.files),
        answers: BTreeMap::new(),
        snapshots: SnapshotFindings::default(),
        expected: Vec::new(),
        residue: Vec::new(),
        trouble: None,
        reproduce: options.reproduce.clone(),
        repeat: options.repeat.clone(),
        started_at: now(),
        duration: Duration::ZERO,
        requests_sent: 0,
        masks: Arc::clone(&options.masks),
    }
}

/// The result of a run that never came to its target.
pub(super) fn unopened(options: &RunOptions, outcome: RunOutcome, why: String) -> RunResult {
    RunResult { outcome, trouble: Some(why), ..blank(options) }
}

impl Runner {
    /// Opens the target of `options`, and walks until `interruption` is told; selectors are not looked at. Known
    /// failures are held against the files, and where there are none against the register alone.
    ///
    /// # Errors
    /// The result of a run whose target cannot be used, exit code 2 or 4; 3 where it was interrupted.
    pub async fn open(
        mut options: RunOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, Box<RunResult>> {
        let begun = Instant::now();
        let blank = blank(&options);
        let masks = Arc::clone(&options.masks);
        let unopened = |outcome, why: String| {
            let trouble = Some(masks.mask(&why));
            Box::new(RunResult { outcome, trouble, duration: begun.elapsed(), ..blank.clone() })
        };
        let opened = async {
            let chosen = options.choice.clone().read()?;
            let files = Some(options.files.as_slice()).filter(|files| !files.is_empty());
            let expected = expected::read_for(chosen.expected_file(&options.target), files)
                .map_err(|error| OpenError::Usage(error.to_string()))?;
            let target = Environment::open(chosen, options.target.clone(), Arc::clone(&masks));
            Ok((target.await?, expected))
        };
        let opened = tokio::select! {
            opened = opened => opened,
            () = interruption.told() => {
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
            Err(OpenError::Unreachable(why) | OpenError::Credentials(why)) => {
                return Err(unopened(RunOutcome::Unreachable, why));
            }
        };
        if options.tolerates_unmet_needs {
            target.tolerate_unmet_needs();
        }
        if let Some(recorder) = &options.recorder {
            target.record(Arc::clone(recorder));
        }
        options.kept = keep::with_expected(options.kept, &expected);
        let shared = RunContext {
            implicit: ImplicitContext::new(&base_path(&target.description().base_url)),
            own_rows: Arc::new(blank.own_rows.clone()),
            options,
            snapshots_seen: Mutex::default(),
            controls: Mutex::default(),
            changes: OwnChanges::default(),
            views: RememberedViews::default(),
            token_budget: TokenBudget::default(),
            older_tokens_last: OnceCell::new(),
            on_event: Box::new(on_event),
            interruption,
            target,
        };
        Ok(Self { shared: Arc::new(shared), begun, blank, expected })
    }

    /// Whether no more is to be started: it was interrupted, or the target no longer answers.
    pub fn is_over(&self) -> bool {
        self.shared.interruption.is_told() || self.shared.target.has_given_up()
    }

    /// What is walked.
    pub fn target(&self) -> &Environment {
        &self.shared.target
    }

    /// Tells that so many scenarios will be walked.
    pub fn announce(&self, scenarios: usize) {
        (self.shared.on_event)(Event::Planned { scenarios });
    }

    /// Walks the scenarios at these places (see [`Planned`](crate::scenario::plan::Planned)), as many side by
    /// side as the target bears; the results are in the order of the places.
    pub async fn walk(
        &self,
        files: &Arc<Vec<ScenarioFile>>,
        places: &[(usize, usize)],
    ) -> Vec<Arc<ScenarioResult>> {
        concurrent::walk_all(&self.shared, files, places).await
    }

    /// What keeps the walks from having been whole, and in words; conformant where nothing does.
    pub fn broken_off(&self) -> (RunOutcome, Option<String>) {
        let (mut ending, mut trouble) = (RunOutcome::Conformant, None);
        if self.shared.interruption.is_told() {
            ending = ending.max(RunOutcome::Incomplete);
            trouble = Some(format!("{REASON}; what had not started by then was not run"));
        }
        if let Some(why) = self.shared.target.refused_applications() {
            ending = ending.max(RunOutcome::Unreachable);
            trouble = Some(self.blank.masks.mask(&why));
        }
        let mistakes = self.shared.target.mistakes();
        if !mistakes.is_empty() {
            ending = ending.max(RunOutcome::Unreachable);
            trouble = Some(self.blank.masks.mask(&mistakes.join("; ")));
        }
        if self.shared.target.has_given_up() {
            ending = ending.max(RunOutcome::Unreachable);
            let why = "the target stopped answering, and the run was cut short";
            trouble = Some(why.to_owned());
        }
        (ending, trouble)
    }

    /// Known failures, in the order of their file.
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Marks what was expected in these results; what became of each known failure.
    pub fn mark(&self, scenarios: &mut [ScenarioResult]) -> Vec<ExpectedFailure> {
        let meets = |need: &str| self.shared.target.missing(need).is_none();
        part::mark(&self.expected, scenarios, &meets)
    }

    /// Cleans up and ends: the result of a run that came to these scenarios.
    pub async fn end(self, scenarios: Vec<Arc<ScenarioResult>>) -> RunResult {
        self.ended(scenarios, false).await.concluded(PartScope::Whole)
    }

    /// Cleans up and ends. After a run of a whole suite it is known which snapshots nobody asked for.
    pub(super) async fn ended(
        self,
        scenarios: Vec<Arc<ScenarioResult>>,
        is_suite: bool,
    ) -> RunPart {
        let shared = &self.shared;
        // Bounded where the run was interrupted.
        tokio::select! {
            () = shared.target.cleanup() => {}
            () = shared.interruption.over() => {}
        }
        let (outcome, trouble) = self.broken_off();
        let mut scenarios: Vec<_> = scenarios.into_iter().map(Arc::unwrap_or_clone).collect();
        scenarios.extend(shared.target.refused_token_request().map(token_refused::result));
        let seen: SnapshotsSeen = std::mem::take(&mut *shared.snapshots_seen.lock());
        let mode = shared.options.snapshots;
        let is_compared = is_suite && mode != SnapshotMode::Off;
        let folder = shared.options.snapshot_dir.as_deref();
        let mut result = RunResult {
            outcome,
            trouble,
            target: shared.target.description(),
            scenarios,
            snapshots: seen.into_findings(folder, is_compared, mode),
            residue: shared.target.residue(),
            requests_sent: shared.target.requests_sent(),
            duration: self.begun.elapsed(),
            ..self.blank
        };
        let unused = std::mem::take(&mut result.snapshots.unused);
        let meets = |need: &&str| shared.target.missing(need).is_none();
        RunPart {
            result,
            target: shared.target.index.clone(),
            is_interrupted: shared.interruption.is_told(),
            met_needs: NEEDS.into_iter().filter(meets).map(str::to_owned).collect(),
            unasked_snapshots: is_compared.then(|| unused.into_iter().collect()),
            expected: self.expected,
        }
    }
}

fn describe_choice(choice: &TargetChoice) -> TargetDescription {
    let (name, base_url) = match choice {
        TargetChoice::InProcess | TargetChoice::InProcessDeployment => {
            ("mock".to_owned(), String::new())
        }
        TargetChoice::File(path) => (path.display().to_string(), String::new()),
        TargetChoice::Url(url) => (url.clone(), url.clone()),
        TargetChoice::Recording(dir) => (dir.display().to_string(), String::new()),
    };
    TargetDescription { name, base_url, class: TargetClass::Unknown }
}

fn base_path(base_url: &str) -> String {
    url::Url::parse(base_url).map(|url| url.path().to_owned()).unwrap_or_default()
}

/// By our clock, ISO 8601 UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map_or_else(String::new, |at| at.to_string())
}
