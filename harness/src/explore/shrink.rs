//! Shrinking a case that fails, as long as it still breaks the same requirement.

use std::sync::Arc;

use proptest::strategy::ValueTree;

use super::case::{self, Case};
use super::draw;
use super::violation::breaks;
use crate::run::Runner;
use crate::verdict::result::ScenarioResult;

/// The highest number of runs for shrinking one case on a mock.
const RUNS_MAX: u32 = 60;
/// The same for a deployment, where each run may leave objects.
const RUNS_MAX_DEPLOYMENT: u32 = 12;

/// Shrinks a case. `result` is the result of its first run. Returns the smallest case that breaks the requirement, with
/// its result.
///
/// # Errors
/// A smaller case is not a scenario, which is a bug of ours.
pub(super) async fn shrink(
    runner: &Runner,
    (seed, stem): (u64, &str),
    case: Case,
    requirement: &str,
    result: Arc<ScenarioResult>,
) -> Result<(Case, Arc<ScenarioResult>), String> {
    let tree = draw::case(seed, case.number, &case.met_needs);
    let mut best = (case, result);
    let Some(mut tree) = tree else { return Ok(best) };
    let runs = if runner.target().is_mock() { RUNS_MAX } else { RUNS_MAX_DEPLOYMENT };
    for _ in 0..runs {
        if runner.is_over() || !tree.simplify() {
            break;
        }
        let candidate = Case { acts: tree.current(), ..best.0.clone() };
        // proptest may return to cases that already ran.
        if candidate == best.0 {
            continue;
        }
        let files = case::files(stem, std::slice::from_ref(&candidate))?;
        let Some(result) = runner.run(&files, &[(0, 0)]).await.into_iter().next() else { break };
        if breaks(&result, requirement) {
            best = (candidate, result);
        } else if !tree.complicate() {
            break;
        }
    }
    Ok(best)
}
