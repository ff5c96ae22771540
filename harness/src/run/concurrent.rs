//! Runs as many scenarios at the same time as the target allows.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{self, PlanEntry};
use crate::verdict::NotRunKind;
use crate::verdict::result::ScenarioResult;

use super::context::RunContext;
use super::interruption::REASON;
use super::order::{self, Phase};
use super::read_only;
use super::scenario;
use super::shared_tokens;
use super::stop::Stop;
use super::token_budget;

/// The number of scenarios that run at the same time at most; more than any number of jobs. A scenario that runs alone
/// takes all permits.
const PERMITS: u32 = 1 << 20;

/// Runs the scenarios at these places. The results have the order of the places.
pub(super) async fn run_all(
    shared: &Arc<RunContext>,
    files: &Arc<Vec<ScenarioFile>>,
    places: &[(usize, usize)],
) -> Vec<Arc<ScenarioResult>> {
    let jobs = match shared.options.jobs {
        Some(jobs) if shared.target.is_mock() || shared.target.is_unpaced() => jobs.max(1),
        None if shared.target.is_mock() => jobs_default(),
        Some(_) | None => 1,
    };
    // Scenarios in sandboxes of their own need no lock.
    let lock = (!shared.target.is_mock()).then(|| Semaphore::new(PERMITS as usize));
    let mut places: Vec<_> = places.iter().copied().enumerate().collect();
    if let Some(seed) = shared.options.shuffle {
        order::shuffle(&mut places, seed);
    }
    let count = places.len();
    let mut queue = queue(shared, files, places);
    if !shared.target.is_mock() {
        queue.sort_by_key(|one| one.phase);
    }
    let queue = Mutex::new(queue);
    let runs = (0..count).map(|_| async {
        let (index, place) = next(&mut queue.lock(), shared);
        let planned = PlanEntry::at(files, place);
        let permits = if read_only::only_reads(planned.scenario) { 1 } else { PERMITS };
        let _turn = match &lock {
            // An error would mean that the semaphore is closed, which never happens.
            Some(lock) => lock.acquire_many(permits).await.ok(),
            None => None,
        };
        // A task of its own, so that a panic in one scenario does not end the run.
        let (shared_too, files_too) = (Arc::clone(shared), Arc::clone(files));
        let run = async move { scenario::run(&shared_too, PlanEntry::at(&files_too, place)).await };
        let mut task = tokio::spawn(run);
        let stop = tokio::select! {
            ended = &mut task => match ended {
                Ok(results) => return (index, results),
                Err(error) => {
                    Stop::Ours(format!("the scenario was aborted, which is a bug of moot: {error}"))
                }
            },
            () = shared.interruption.grace_over() => {
                task.abort();
                let why = format!("{REASON}, and this did not end in time");
                Stop::not_run(NotRunKind::Interrupted, why)
            }
        };
        (index, scenario::aborted(shared, planned, &stop))
    });
    let mut results: Vec<(usize, Vec<_>)> =
        stream::iter(runs).buffer_unordered(jobs).collect().await;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().flat_map(|(_, results)| results).collect()
}

/// A scenario that has not started.
struct QueuedScenario {
    /// Its index in the plan.
    index: usize,
    place: (usize, usize),
    /// Token requests of all its rows.
    token_requests: u64,
    /// The tokens that it shares with others.
    tokens: BTreeSet<(String, Scopes)>,
    phase: Phase,
}

fn queue(
    shared: &RunContext,
    files: &[ScenarioFile],
    places: Vec<(usize, (usize, usize))>,
) -> Vec<QueuedScenario> {
    let expires = shared.target.lets_tokens_expire();
    let queued = |(index, place)| {
        let planned = PlanEntry::at(files, place);
        let scenario = planned.scenario;
        let is_met = scenario.needs.iter().all(|need| shared.target.missing(need).is_none());
        let runs = is_met && plan::excluding(&planned, &shared.options.excluded).is_none();
        let (token_requests, tokens) = match runs {
            true => {
                let own = token_budget::token_requests(scenario);
                shared.token_budget.reserve([(planned.name().to_string(), own)]);
                let tokens = shared_tokens::of(scenario);
                (token_budget::token_requests_of_rows(scenario), tokens)
            }
            false => (0, BTreeSet::new()),
        };
        let phase = Phase::of(scenario, expires);
        QueuedScenario { index, place, token_requests, tokens, phase }
    };
    places.into_iter().map(queued).collect()
}

/// Takes the next scenario. While token requests are limited, scenarios without them go first.
fn next(queue: &mut Vec<QueuedScenario>, shared: &RunContext) -> (usize, (usize, usize)) {
    let at = shared.target.token_turns().map_or(0, |free| {
        let first = queue.first().map(|one| one.phase);
        let alike = queue.iter().take_while(|one| Some(one.phase) == first);
        let missing = |one: &QueuedScenario| {
            one.tokens
                .iter()
                .filter(|(role, scopes)| !shared.target.has_token(role, *scopes))
                .count()
        };
        let token_requests: Vec<u64> =
            alike.map(|one| one.token_requests + missing(one) as u64).collect();
        // As long as a shared token is missing, one request is kept for it.
        let keeps_one = queue.iter().any(|one| missing(one) > 0);
        token_budget::next(&token_requests, free.saturating_sub(usize::from(keeps_one)))
    });
    let QueuedScenario { index, place, .. } = queue.remove(at);
    (index, place)
}

/// The number of jobs if the number of cores is unknown.
const JOBS_DEFAULT: usize = 4;

fn jobs_default() -> usize {
    std::thread::available_parallelism().map_or(JOBS_DEFAULT, |cores| cores.get() * 2)
}
