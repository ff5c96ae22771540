//! A whole run: the target is opened, scenarios are walked side by side, the rest is merged.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;

use crate::check::implicit::ImplicitContext;
use crate::exchange::Masks;
use crate::expected::{self, Circumstances};
use crate::run::Event;
use crate::run::outcome::{self, Ending};
use crate::run::plan::{self, Planned};
use crate::run::result::{
    ExpectedState, ObservedAnswer, RunResult, ScenarioResult, SnapshotFindings, TargetDescription,
};
use crate::scenario::model::ScenarioFile;
use crate::target::recording::Recorder;
use crate::target::{OpenError, Target, TargetChoice, TargetOptions};

use super::interruption::{Interruption, REASON};
use super::snapshot::SnapshotMode;
use super::{scenario, snapshot};

/// What to run, and how.
pub struct RunOptions {
    /// Where requests go.
    pub choice: TargetChoice,
    /// How they go there; the seed and the run's tag among it.
    pub target: TargetOptions,
    /// All scenario files, parsed.
    pub files: Vec<ScenarioFile>,
    /// What is selected; everything where empty.
    pub selectors: Vec<String>,
    /// Scenarios side by side; by default two a core on a mock, where each has a sandbox of its own.
    /// A deployment is walked one by one, but for an unpaced one on loopback where it is asked for.
    pub jobs: Option<usize>,
    /// Whether a MUST of a standard fails.
    pub strict: bool,
    /// What is done with snapshots.
    pub snapshots: SnapshotMode,
    /// Where they are.
    pub snapshot_dir: Option<PathBuf>,
    /// Keeps all that the target says, where that is wanted.
    pub recorder: Option<Arc<Recorder>>,
    /// The command line that reproduces the run.
    pub reproduce: String,
}

/// What every scenario of a run shares.
pub(super) struct Shared {
    pub(super) target: Target,
    pub(super) strict: bool,
    pub(super) run_tag: String,
    pub(super) masks: Arc<Masks>,
    pub(super) implicit: ImplicitContext,
    pub(super) snapshots: SnapshotMode,
    pub(super) snapshot_dir: Option<PathBuf>,
    pub(super) snapshots_seen: Mutex<snapshot::Seen>,
    pub(super) answers: Mutex<BTreeMap<String, ObservedAnswer>>,
    /// Outcomes of controls that create, by application and call.
    pub(super) controls: Mutex<HashMap<String, Result<(), String>>>,
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
    let begun = Instant::now();
    let started_at = now();
    let masks = Arc::new(Masks::default());
    let files = Arc::new(options.files);
    let blank = |ending: Ending, trouble: Option<String>, target: TargetDescription| RunResult {
        outcome: ending.outcome,
        exit_code: ending.exit_code,
        target,
        seed: options.target.seed,
        scenarios: Vec::new(),
        answers: BTreeMap::new(),
        snapshots: SnapshotFindings::default(),
        expected: Vec::new(),
        residue: Vec::new(),
        trouble,
        reproduce: options.reproduce.clone(),
        started_at: started_at.clone(),
        duration: begun.elapsed(),
        requests_sent: 0,
        masks: Arc::clone(&masks),
    };
    let unopened = describe_choice(&options.choice);
    let planned = match plan::select(&files, &options.selectors) {
        Ok(planned) => planned,
        Err(error) => return blank(Ending::USAGE, Some(error.to_string()), unopened),
    };
    if planned.is_empty() {
        let why = "there is no scenario to run".to_owned();
        return blank(Ending::INCOMPLETE, Some(why), unopened);
    }
    let run_tag = options.target.run_tag.clone();
    let opened = async {
        let chosen = options.choice.clone().read()?;
        let expected = chosen.expected(&options.target, &files, expected::today())?;
        let target = Target::open(chosen, options.target.clone(), Arc::clone(&masks)).await?;
        Ok((target, expected))
    };
    let opened = tokio::select! {
        opened = opened => opened,
        () = interruption.told() => {
            let why = format!("{REASON} before it began");
            return blank(Ending::INCOMPLETE, Some(why), unopened);
        }
    };
    let (mut target, expected) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let (ending, why) = match error {
                OpenError::Usage(why) => (Ending::USAGE, why),
                OpenError::Unreachable(why) | OpenError::Credentials(why) => {
                    (Ending::UNREACHABLE, why)
                }
            };
            return blank(ending, Some(masks.mask(&why)), unopened);
        }
    };
    if let Some(recorder) = &options.recorder {
        target.record(Arc::clone(recorder));
    }
    let shared = Shared {
        implicit: ImplicitContext::new(&base_path(&target.description().base_url)),
        strict: options.strict,
        run_tag,
        masks: Arc::clone(&masks),
        snapshots: options.snapshots,
        snapshot_dir: options.snapshot_dir.clone(),
        snapshots_seen: Mutex::default(),
        answers: Mutex::default(),
        controls: Mutex::default(),
        on_event: Box::new(on_event),
        interruption,
        target,
    };
    (shared.on_event)(Event::Planned { scenarios: planned.len() });
    let places: Vec<(usize, usize)> = planned.iter().map(|planned| planned.place).collect();
    let shared = Arc::new(shared);
    let scenarios = walk_all(&shared, &files, &places, options.jobs).await;
    // Bounded where the run was interrupted.
    tokio::select! {
        () = shared.target.cleanup() => {}
        () = shared.interruption.over() => {}
    }
    let mut scenarios: Vec<ScenarioResult> =
        scenarios.into_iter().map(Arc::unwrap_or_clone).collect();
    let answers = std::mem::take(&mut *shared.answers.lock());
    let meets = |need: &str| shared.target.missing(need).is_none();
    let circumstances = Circumstances { meets: &meets, answers: &answers };
    let expected = expected::apply(&expected, &mut scenarios, &circumstances);
    let mut ending = outcome::ending(&scenarios);
    if expected.iter().any(|one| one.state == ExpectedState::Stale) {
        ending = ending.graver(Ending::DRIFTED);
    }
    let mut trouble = None;
    if shared.interruption.is_told() {
        ending = ending.graver(Ending::INCOMPLETE);
        trouble = Some(format!("{REASON}; what had not begun by then was not run"));
    }
    if let Some(why) = shared.target.refused_applications() {
        ending = ending.graver(Ending::UNREACHABLE);
        trouble = Some(masks.mask(&why));
    }
    if shared.target.has_given_up() {
        ending = ending.graver(Ending::UNREACHABLE);
        trouble = Some("the target stopped answering, and the run was cut short".to_owned());
    }
    let mut result = blank(ending, trouble, shared.target.description());
    result.scenarios = scenarios;
    result.answers = answers;
    result.expected = expected;
    let seen = std::mem::take(&mut *shared.snapshots_seen.lock());
    let is_whole = options.selectors.is_empty()
        && options.snapshots != SnapshotMode::Off
        && ending == Ending::CONFORMANT
        && result.scenarios.iter().all(|scenario| scenario.not_run.is_none());
    result.snapshots = seen.into_findings(options.snapshot_dir.as_deref(), is_whole);
    result.residue = shared.target.residue();
    result.requests_sent = shared.target.requests_sent();
    result
}

/// In the order of the plan, whatever ended first; side by side on all cores.
async fn walk_all(
    shared: &Arc<Shared>,
    files: &Arc<Vec<ScenarioFile>>,
    places: &[(usize, usize)],
    jobs: Option<usize>,
) -> Vec<Arc<ScenarioResult>> {
    let jobs = match jobs {
        Some(jobs) if shared.target.is_mock() || shared.target.is_unpaced() => jobs.max(1),
        None if shared.target.is_mock() => jobs_default(),
        Some(_) | None => 1,
    };
    let walks = places.iter().enumerate().map(|(index, &place)| {
        let (shared, files) = (Arc::clone(shared), Arc::clone(files));
        async move {
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

/// Where the system does not tell how many cores there are.
const JOBS_DEFAULT: usize = 4;

fn jobs_default() -> usize {
    std::thread::available_parallelism().map_or(JOBS_DEFAULT, |cores| cores.get() * 2)
}

fn describe_choice(choice: &TargetChoice) -> TargetDescription {
    let (name, base_url) = match choice {
        TargetChoice::InProcess => ("mock".to_owned(), String::new()),
        TargetChoice::File(path) => (path.display().to_string(), String::new()),
        TargetChoice::Url(url) => (url.clone(), url.clone()),
        TargetChoice::Recording(dir) => (dir.display().to_string(), String::new()),
    };
    TargetDescription { name, base_url, class: "unknown".to_owned() }
}

fn base_path(base_url: &str) -> String {
    url::Url::parse(base_url).map(|url| url.path().to_owned()).unwrap_or_default()
}

fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(seconds)
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .map_or_else(String::new, |at| at.to_string())
}
