//! A whole run: the target is opened, scenarios are walked side by side, the rest is merged.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::answers::ObservedAnswer;
use crate::check::implicit::ImplicitContext;
use crate::environment::{Environment, TargetChoice, TargetOptions};
use crate::masks::Masks;
use crate::recording::Recorder;
use crate::result::{RunOutcome, RunResult, ScenarioResult};
use crate::run::Event;
use crate::run::order::Order;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{self, Planned};

use super::interruption::Interruption;
use super::keep::Kept;
use super::scenario;
use super::session::{self, Runner};
use super::snapshot::{self, SnapshotMode};
use super::stop::Stop;
use super::turn::{self, Course, Turns};

/// What to run, and how.
pub struct RunOptions {
    /// Where requests go.
    pub choice: TargetChoice,
    /// How they go there; the seed and the run's tag among it.
    pub target: TargetOptions,
    /// All scenario files, parsed.
    pub files: Arc<Vec<ScenarioFile>>,
    /// What is selected; everything where empty.
    pub selectors: Vec<String>,
    /// Scenarios side by side; by default two a core on a mock, where each has a sandbox of its own.
    /// A deployment is walked one by one, but for an unpaced one on loopback where it is asked for.
    pub jobs: Option<usize>,
    /// In which order scenarios are walked.
    pub order: Order,
    /// Whether a MUST of a standard fails.
    pub strict: bool,
    /// What is done with snapshots.
    pub snapshots: SnapshotMode,
    /// Where they are.
    pub snapshot_dir: Option<PathBuf>,
    /// What is kept of what nobody complained about.
    pub kept: Kept,
    /// Keeps all that the target says, where that is wanted.
    pub recorder: Option<Arc<Recorder>>,
    /// The command line that reproduces the run.
    pub reproduce: String,
    /// The secrets of the run, as they become known.
    pub masks: Arc<Masks>,
}

impl RunOptions {
    /// All of these files at this target, in their order; nothing is strict, no snapshot is looked at,
    /// nothing is recorded, and of what was sent the beginnings are kept.
    pub fn new(
        choice: TargetChoice,
        target: TargetOptions,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
    ) -> Self {
        Self {
            choice,
            target,
            files: files.into(),
            selectors: Vec::new(),
            jobs: None,
            order: Order::Files,
            strict: false,
            snapshots: SnapshotMode::Off,
            snapshot_dir: None,
            kept: Kept::Beginning,
            recorder: None,
            reproduce: String::new(),
            masks: Arc::default(),
        }
    }
}

/// What every scenario of a run shares.
pub(super) struct Shared {
    pub(super) target: Environment,
    pub(super) strict: bool,
    pub(super) run_tag: String,
    pub(super) masks: Arc<Masks>,
    pub(super) implicit: ImplicitContext,
    pub(super) kept: Kept,
    pub(super) snapshots: SnapshotMode,
    pub(super) snapshot_dir: Option<PathBuf>,
    pub(super) snapshots_seen: Mutex<snapshot::Seen>,
    pub(super) answers: Mutex<BTreeMap<String, ObservedAnswer>>,
    /// Outcomes of controls that create, by application and call.
    pub(super) controls: Mutex<HashMap<String, Result<(), Stop>>>,
    /// Whether a token stays good though its application asks for others, once that was tried.
    pub(super) older_tokens_last: OnceCell<bool>,
    pub(super) interruption: Arc<Interruption>,
    pub(super) on_event: Box<dyn Fn(Event) + Send + Sync>,
}

/// Runs what is selected. Never fails: what went wrong is in the result.
pub async fn run(
    options: RunOptions,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> RunResult {
    run_until(options, Arc::default(), on_event).await
}

/// Runs what is selected, until `interruption` is told: then nothing more is begun, what was begun is
/// put in order within a bounded time, and the rest is not run.
pub async fn run_until(
    options: RunOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> RunResult {
    let planned = match plan::select(&options.files, &options.selectors) {
        Ok(planned) => planned,
        Err(error) => return session::unopened(&options, RunOutcome::Usage, error.to_string()),
    };
    if planned.is_empty() {
        let why = "there is no scenario to run".to_owned();
        return session::unopened(&options, RunOutcome::Incomplete, why);
    }
    let places: Vec<(usize, usize)> = planned.iter().map(|planned| planned.place).collect();
    let runner = match Runner::open_for_suite(&options, interruption, on_event).await {
        Ok(runner) => runner,
        Err(result) => return *result,
    };
    runner.announce(places.len());
    let scenarios = runner.walk(&options.files, &places).await;
    runner.ended(scenarios, options.selectors.is_empty()).await
}

/// Told in the order of the plan, whatever was walked or ended first; side by side on all cores.
pub(super) async fn walk_all(
    shared: &Arc<Shared>,
    files: &Arc<Vec<ScenarioFile>>,
    places: &[(usize, usize)],
    jobs: Option<usize>,
    order: Order,
) -> Vec<Arc<ScenarioResult>> {
    let jobs = match jobs {
        Some(jobs) if shared.target.is_mock() || shared.target.is_unpaced() => jobs.max(1),
        None if shared.target.is_mock() => jobs_default(),
        Some(_) | None => 1,
    };
    let turns = Arc::new(turns(shared, files, places, jobs).await);
    let mut places: Vec<_> = places.iter().copied().enumerate().collect();
    order.arrange(&mut places);
    let walks = places.into_iter().map(|(index, place)| {
        let (shared, files, turns) = (Arc::clone(shared), Arc::clone(files), Arc::clone(&turns));
        async move {
            let _turn = turns.take(Planned::at(&files, place).scenario).await;
            let (shared_too, files_too) = (Arc::clone(&shared), Arc::clone(&files));
            let walk = async move { scenario::walk(&shared, Planned::at(&files, place)).await };
            let mut task = tokio::spawn(walk);
            let results = tokio::select! {
                ended = &mut task => match ended {
                    Ok(results) => results,
                    // A bug of ours in one scenario must not hide what the others found.
                    Err(error) => {
                        scenario::broken(&shared_too, Planned::at(&files_too, place), &error)
                    }
                },
                () = shared_too.interruption.over() => {
                    task.abort();
                    scenario::cut_off(&shared_too, Planned::at(&files_too, place))
                }
            };
            (index, results)
        }
    });
    let mut results: Vec<(usize, Vec<_>)> =
        stream::iter(walks).buffer_unordered(jobs).collect().await;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().flat_map(|(_, results)| results).collect()
}

/// What is walked side by side. Whether older tokens outlive newer ones is tried once, and only where
/// something is gained by it.
async fn turns(
    shared: &Shared,
    files: &[ScenarioFile],
    places: &[(usize, usize)],
    jobs: usize,
) -> Turns {
    if shared.target.is_mock() {
        return Turns::free();
    }
    let asks = |place: &(usize, usize)| {
        turn::course(Planned::at(files, *place).scenario) == Course::AsksForTokens
    };
    if jobs == 1 || places.len() == 1 || !places.iter().any(asks) {
        return Turns::shared(Course::Reads);
    }
    let trial = || shared.target.older_tokens_last(jobs);
    match *shared.older_tokens_last.get_or_init(trial).await {
        true => Turns::shared(Course::AsksForTokens),
        false => Turns::shared(Course::Reads),
    }
}

/// Where the system does not tell how many cores there are.
const JOBS_DEFAULT: usize = 4;

fn jobs_default() -> usize {
    std::thread::available_parallelism().map_or(JOBS_DEFAULT, |cores| cores.get() * 2)
}

/// By our clock, ISO 8601 UTC.
pub(super) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map_or_else(String::new, |at| at.to_string())
}
