//! A whole run: select scenarios, open the target, run them, and gather the result.

use std::sync::Arc;

use crate::result::{RunOutcome, RunResult};
use crate::scenario::plan;

use super::event::Event;
use super::interruption::Interruption;
use super::options::RunOptions;
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
    let planned = match plan::select(&options.files, &options.selectors) {
        Ok(planned) => planned,
        Err(error) => return session::unopened(&options, RunOutcome::Usage, error.to_string()),
    };
    if let Err(error) = plan::select(&options.files, &options.excluded) {
        return session::unopened(&options, RunOutcome::Usage, error.to_string());
    }
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
    runner.ended(scenarios, options.selectors.is_empty() && options.excluded.is_empty()).await
}
