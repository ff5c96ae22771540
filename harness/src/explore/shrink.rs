//! Making a failing case smaller, as far as it still fails in the same way.

use std::sync::Arc;

use proptest::strategy::{Strategy, ValueTree};

use super::act::Act;
use super::case::{self, Case};
use super::draw;
use super::means::Means;
use super::violation::Cause;
use crate::result::ScenarioResult;
use crate::run::Runner;

/// Walks that making one case smaller may cost on a mock.
const WALKS_MAX: u32 = 60;
/// The same on a deployment, where each walk leaves something behind.
const WALKS_MAX_DEPLOYMENT: u32 = 12;

/// The smallest case that was found, and what its walk said.
pub(super) struct Smaller {
    pub(super) case: Case,
    pub(super) result: Arc<ScenarioResult>,
}

/// Makes the case of this number smaller; `walked` is what its first walk said.
///
/// # Errors
/// A smaller case is no scenario, which is a bug of ours.
pub(super) async fn shrink(
    runner: &Runner,
    (seed, stem): (u64, &str),
    case: &Case,
    means: Means,
    cause: &Cause,
    walked: Arc<ScenarioResult>,
) -> Result<Smaller, String> {
    let mut best = Smaller { case: case.clone(), result: walked };
    let strategy = draw::case(means);
    let Ok(mut tree) = strategy.new_tree(&mut draw::runner(seed, case.number)) else {
        return Ok(best);
    };
    let walks = if runner.target().is_mock() { WALKS_MAX } else { WALKS_MAX_DEPLOYMENT };
    for _ in 0..walks {
        if runner.is_over() || !tree.simplify() {
            break;
        }
        // Steps back until there is something that was not tried yet.
        let acts: Vec<Act> = tree.current();
        if acts == best.case.acts {
            continue;
        }
        let candidate = Case { number: case.number, acts };
        let Some(result) = walk(runner, stem, &candidate).await? else { break };
        if cause.is_in(&result) {
            best = Smaller { case: candidate, result };
        } else if !tree.complicate() {
            break;
        }
    }
    Ok(best)
}

/// The walk of one case; `None` where the runner no longer walks.
async fn walk(
    runner: &Runner,
    stem: &str,
    case: &Case,
) -> Result<Option<Arc<ScenarioResult>>, String> {
    let files = case::files(stem, std::slice::from_ref(case))?;
    Ok(runner.walk(&files, &[(0, 0)]).await.into_iter().next())
}
