//! An opened target and the runs on it. Budgets, pace and ledger last for all of them.
//!
//! [`run`](super::run()) opens one for its plan; exploring walks what it has drawn, and then again
//! what it makes smaller. Nothing here selects.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::exchange::masks::Masks;
use crate::run::environment::{Environment, OpenError, TargetChoice, TargetSource};
use crate::verdict::check::implicit::ImplicitContext;
use crate::verdict::expected::{self, Expected};
use crate::verdict::result::{
    Event, ExpectedFailure, RepeatCommand, RunOutcome, RunResult, ScenarioResult, SnapshotFindings,
};

use crate::client::target_file::{TargetClass, TargetDescription};
use crate::scenario::declared::{self, OwnRows};
use crate::scenario::model::{NEEDS, ScenarioFile};

use super::changes::OwnChanges;
use super::concurrent;
use super::context::RunContext;
use super::interruption::{Interruption, REASON};
use super::keep;
use super::options::RunOptions;
use super::order::Order;
use super::part::{self, PartScope, RunPart};
use super::snapshots_seen::{SnapshotMode, SnapshotsSeen};
use super::token_budget::TokenBudget;
use super::token_refused;
use super::views::RememberedViews;

/// An opened target, and all that its walks share.
pub struct Runner {
    shared: Arc<RunContext>,
    start: RunStart,
    jobs: Option<usize>,
    order: Order,
    /// Known failures, which are marked in the end.
    expected: Expected,
}

/// What is known of a run before its target is opened.
struct RunStart {
    at: Instant,
    started_at: String,
    seed: u64,
    reproduce: String,
    repeat: RepeatCommand,
    masks: Arc<Masks>,
    own_rows: OwnRows,
}

impl RunStart {
    fn now(options: &RunOptions) -> Self {
        Self {
            at: Instant::now(),
            started_at: now(),
            seed: options.target.seed,
            reproduce: options.reproduce.clone(),
            repeat: options.repeat.clone(),
            masks: Arc::clone(&options.masks),
            own_rows: declared::own_rows(&options.files),
        }
    }

    /// A result without scenarios.
    fn blank(
        &self,
        ending: RunOutcome,
        trouble: Option<String>,
        target: TargetDescription,
    ) -> RunResult {
        RunResult {
            outcome: ending,
            target,
            seed: self.seed,
            scenarios: Vec::new(),
            own_rows: self.own_rows.clone(),
            answers: BTreeMap::new(),
            snapshots: SnapshotFindings::default(),
            expected: Vec::new(),
            residue: Vec::new(),
            trouble,
            reproduce: self.reproduce.clone(),
            repeat: self.repeat.clone(),
            started_at: self.started_at.clone(),
            duration: self.at.elapsed(),
            requests_sent: 0,
            masks: Arc::clone(&self.masks),
        }
    }
}

/// The result of a run that never came to its target.
pub(super) fn unopened(options: &RunOptions, ending: RunOutcome, why: String) -> RunResult {
    RunStart::now(options).blank(ending, Some(why), describe_choice(&options.choice))
}

impl Runner {
    /// Opens the target of `options`, and walks until `interruption` is told; files and selectors are
    /// not looked at, and known failures are held against the register alone.
    ///
    /// # Errors
    /// The result of a run whose target cannot be used, exit code 2 or 4; 3 where it was interrupted.
    pub async fn open(
        options: &RunOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, Box<RunResult>> {
        Self::opened(options, None, interruption, on_event).await
    }

    /// As [`Runner::open`], for the files of `options`, which known failures are held against.
    pub(super) async fn open_for_suite(
        options: &RunOptions,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, Box<RunResult>> {
        Self::opened(options, Some(&options.files), interruption, on_event).await
    }

    async fn opened(
        options: &RunOptions,
        files: Option<&[ScenarioFile]>,
        interruption: Arc<Interruption>,
        on_event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Result<Self, Box<RunResult>> {
        let start = RunStart::now(options);
        let unopened = |ending, why: String| {
            let description = describe_choice(&options.choice);
            Box::new(start.blank(ending, Some(start.masks.mask(&why)), description))
        };
        let opened = async {
            let chosen = options.choice.clone().read()?;
            let expected = known_failures(options, &chosen, files)?;
            let masks = Arc::clone(&start.masks);
            Ok((Environment::open(chosen, options.target.clone(), masks).await?, expected))
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
        let shared = RunContext {
            implicit: ImplicitContext::new(&base_path(&target.description().base_url)),
            strict: options.strict,
            excluded: options.excluded.clone(),
            run_tag: options.target.run_tag.clone(),
            own_rows: Arc::new(start.own_rows.clone()),
            masks: Arc::clone(&start.masks),
            kept: keep::with_expected(options.kept, &expected),
            snapshots: options.snapshots,
            snapshot_dir: options.snapshot_dir.clone(),
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
        Ok(Self {
            shared: Arc::new(shared),
            start,
            jobs: options.jobs,
            order: options.order,
            expected,
        })
    }

    /// Whether no more is to be start: it was interrupted, or the target no longer answers.
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
        concurrent::walk_all(&self.shared, files, places, self.jobs, self.order).await
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
            trouble = Some(self.start.masks.mask(&why));
        }
        let mistakes = self.shared.target.mistakes();
        if !mistakes.is_empty() {
            ending = ending.max(RunOutcome::Unreachable);
            trouble = Some(self.start.masks.mask(&mistakes.join("; ")));
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
        let (broken_off, trouble) = self.broken_off();
        let mut result = self.start.blank(broken_off, trouble, shared.target.description());
        result.scenarios = scenarios.into_iter().map(Arc::unwrap_or_clone).collect();
        result.scenarios.extend(shared.target.refused_token_request().map(token_refused::result));
        let seen: SnapshotsSeen = std::mem::take(&mut *shared.snapshots_seen.lock());
        let is_compared = is_suite && shared.snapshots != SnapshotMode::Off;
        result.snapshots =
            seen.into_findings(shared.snapshot_dir.as_deref(), is_compared, shared.snapshots);
        result.residue = shared.target.residue();
        result.requests_sent = shared.target.requests_sent();
        let unused = std::mem::take(&mut result.snapshots.unused);
        let meets = |need: &&str| shared.target.missing(need).is_none();
        RunPart {
            result,
            target: shared.target.index_target(),
            is_interrupted: shared.interruption.is_told(),
            met_needs: NEEDS.into_iter().filter(meets).map(str::to_owned).collect(),
            unasked_snapshots: is_compared.then(|| unused.into_iter().collect()),
            expected: self.expected,
        }
    }
}

/// The known failures of the options or of the target file. Held against the day, the register, and the
/// scenarios where these are known.
fn known_failures(
    options: &RunOptions,
    chosen: &TargetSource,
    files: Option<&[ScenarioFile]>,
) -> Result<Expected, OpenError> {
    expected::read_for(chosen.expected_file(&options.target), files)
        .map_err(|error| OpenError::Usage(error.to_string()))
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
