//! What a scenario declares where no step of it was walked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::scenario::declared;
use crate::scenario::plan::Planned;
use crate::verdict::result::{ScenarioResult, StepResult};

use super::context::RunContext;
use super::judge::{self, CheckOrigin};
use super::stop::Stop;

/// A scenario of which no step was walked: all that it declares is there, with the reason.
pub(super) fn unwalked(
    shared: &RunContext,
    planned: Planned<'_>,
    name: &str,
    stop: &Stop,
    begun: Instant,
) -> ScenarioResult {
    let (verdict, _) = stop.verdict();
    let scenario = Arc::from(name);
    let mut steps = Vec::new();
    declared::collect(&planned.scenario.steps, &mut |step| {
        let origin = CheckOrigin {
            scenario: Arc::clone(&scenario),
            step: Arc::from(step.name.as_str()),
            strict: shared.options.strict,
            own_rows: Arc::clone(&shared.own_rows),
        };
        let checks = declared::checks(step).into_iter().map(|check| origin.unjudged(check, stop));
        let checks = judge::merged(checks.collect());
        if !checks.is_empty() {
            let (name, exchanges) = (step.name.clone(), Vec::new());
            let duration = Duration::ZERO;
            steps.push(StepResult { name, verdict, exchanges, checks, passed: 0, duration });
        }
    });
    let not_run = match stop {
        Stop::NotRun(not_run) => {
            let mut not_run = not_run.clone();
            if not_run.tolerate_as.is_empty() {
                not_run.tolerate_as = planned.name();
                not_run.is_tolerated |= shared.target.tolerates(&planned.name());
            }
            Some(not_run)
        }
        Stop::NotApplicable(_) | Stop::Ours(_) => None,
    };
    let duration = begun.elapsed();
    ScenarioResult { verdict, steps, not_run, duration, ..ScenarioResult::new(planned, name) }
}
