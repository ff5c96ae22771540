//! Runs scenarios, as many at the same time as the target allows.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use moot_fixtures::contract::Scopes;
use parking_lot::Mutex;

use crate::scenario::model::ScenarioFile;
use crate::scenario::plan::{self, Planned};
use crate::verdict::result::ScenarioResult;

use super::context::RunContext;
use super::order::Phase;
use super::scenario;
use super::token_budget;
use super::turn::{self, ScenarioEffect, Turns};

/// Told in the order of the plan, whatever was walked or ended first; side by side on all cores.
pub(super) async fn walk_all(
    shared: &Arc<RunContext>,
    files: &Arc<Vec<ScenarioFile>>,
    places: &[(usize, usize)],
) -> Vec<Arc<ScenarioResult>> {
    let jobs = match shared.options.jobs {
        Some(jobs) if shared.target.is_mock() || shared.target.is_unpaced() => jobs.max(1),
        None if shared.target.is_mock() => jobs_default(),
        Some(_) | None => 1,
    };
    let turns = Arc::new(turns(shared, files, places, jobs).await);
    let mut places: Vec<_> = places.iter().copied().enumerate().collect();
    shared.options.order.arrange(&mut places);
    if !shared.target.is_mock() {
        let expires = shared.target.lets_tokens_expire();
        places.sort_by_key(|(_, place)| Phase::of(Planned::at(files, *place).scenario, expires));
    }
    let count = places.len();
    let queue = Arc::new(Mutex::new(queue(shared, files, places)));
    let walks = (0..count).map(|_| {
        let (shared, files, turns) = (Arc::clone(shared), Arc::clone(files), Arc::clone(&turns));
        let queue = Arc::clone(&queue);
        async move {
            let (index, place) = next(&mut queue.lock(), &shared);
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

/// A scenario that did not begin yet.
struct QueuedScenario {
    /// Its index in the plan.
    index: usize,
    place: (usize, usize),
    /// Token requests of all its rows.
    token_requests: u64,
    /// The tokens that it shares with others.
    tokens: HashSet<(String, Scopes)>,
    phase: Phase,
}

fn queue(
    shared: &RunContext,
    files: &[ScenarioFile],
    places: Vec<(usize, (usize, usize))>,
) -> Vec<QueuedScenario> {
    let expires = shared.target.lets_tokens_expire();
    let queued = |(index, place)| {
        let planned = Planned::at(files, place);
        let scenario = planned.scenario;
        let is_met = scenario.needs.iter().all(|need| shared.target.missing(need).is_none());
        let is_walked = is_met && plan::excluding(&planned, &shared.options.excluded).is_none();
        let (token_requests, tokens) = match is_walked {
            true => {
                let own = token_budget::token_requests(scenario);
                shared.token_budget.reserve([(planned.name(), own)]);
                let tokens = token_budget::shared_tokens(scenario);
                (token_budget::token_requests_of_rows(scenario), tokens)
            }
            false => (0, HashSet::new()),
        };
        let phase = Phase::of(scenario, expires);
        QueuedScenario { index, place, token_requests, tokens, phase }
    };
    places.into_iter().map(queued).collect()
}

/// Takes the scenario that begins next. Where token requests are limited, others are walked while they wait.
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
        // One is left for a token that scenarios share, as long as some of these is missing.
        let is_one_left = queue.iter().any(|one| missing(one) > 0);
        token_budget::next(&token_requests, free.saturating_sub(usize::from(is_one_left)))
    });
    let QueuedScenario { index, place, .. } = queue.remove(at);
    (index, place)
}

/// What is walked side by side. Whether older tokens outlive newer ones is tried once, and only where
/// something is gained by it.
async fn turns(
    shared: &RunContext,
    files: &[ScenarioFile],
    places: &[(usize, usize)],
    jobs: usize,
) -> Turns {
    if shared.target.is_mock() {
        return Turns::free();
    }
    let asks = |place: &(usize, usize)| {
        turn::effect(Planned::at(files, *place).scenario) == ScenarioEffect::AsksForTokens
    };
    if jobs == 1 || places.len() == 1 || !places.iter().any(asks) {
        return Turns::shared(ScenarioEffect::Reads);
    }
    let trial = || shared.target.older_tokens_last(jobs);
    match *shared.older_tokens_last.get_or_init(trial).await {
        true => Turns::shared(ScenarioEffect::AsksForTokens),
        false => Turns::shared(ScenarioEffect::Reads),
    }
}

/// Where the system does not tell how many cores there are.
const JOBS_DEFAULT: usize = 4;

fn jobs_default() -> usize {
    std::thread::available_parallelism().map_or(JOBS_DEFAULT, |cores| cores.get() * 2)
}
