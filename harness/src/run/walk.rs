//! A whole run: select scenarios, open the target, run them, and gather the result.

use std::sync::Arc;

use crate::scenario::plan::{self, Planned};
use crate::verdict::result::{Event, RunOutcome, RunResult};

use super::interruption::Interruption;
use super::options::RunOptions;
use super::part::{PartScope, RunPart};
use super::session::{self, Runner};

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
    match run_part(options, interruption, on_event).await {
        Ok(part) => part.concluded(PartScope::Whole),
        Err(result) => *result,
    }
}

/// As [`run_until`]; known failures are not held against the result yet, so that it can be joined with others.
///
/// # Errors
/// The result of a run that never came to its target.
pub async fn run_part(
    options: RunOptions,
    interruption: Arc<Interruption>,
    on_event: impl Fn(Event) + Send + Sync + 'static,
) -> Result<RunPart, Box<RunResult>> {
    let unopened = |ending, why: String| Box::new(session::unopened(&options, ending, why));
    let planned = plan::select(&options.files, &options.selectors)
        .map_err(|error| unopened(RunOutcome::Usage, error.to_string()))?;
    plan::select(&options.files, &options.excluded)
        .map_err(|error| unopened(RunOutcome::Usage, error.to_string()))?;
    if planned.is_empty() {
        let why = "there is no scenario to run".to_owned();
        return Err(unopened(RunOutcome::Incomplete, why));
    }
    let is_asked = |planned: &&Planned<'_>| {
        options.only.as_ref().is_none_or(|only| only.contains(&planned.name()))
    };
    let places: Vec<(usize, usize)> =
        planned.iter().filter(is_asked).map(|planned| planned.place).collect();
    let is_suite = options.selectors.is_empty() && options.excluded.is_empty();
    let files = Arc::clone(&options.files);
    let runner = Runner::open(options, interruption, on_event).await?;
    runner.announce(places.len());
    let scenarios = runner.walk(&files, &places).await;
    Ok(runner.ended(scenarios, is_suite).await)
}
