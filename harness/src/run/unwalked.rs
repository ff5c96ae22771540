//! What a scenario declares where no step of it was walked.

use std::sync::Arc;
use std::time::Instant;

use crate::scenario::model::Step;
use crate::scenario::plan::Planned;
use crate::verdict::result::{ScenarioResult, StepResult};

use super::context::RunContext;
use super::judge;
use super::stop::Stop;
use crate::scenario::declared;

/// A scenario of which no step was walked: all that it declares is there, with the reason.
pub(super) fn unwalked(
    shared: &RunContext,
    planned: Planned<'_>,
    name: &str,
    stop: &Stop,
    begun: Instant,
) -> ScenarioResult {
    let (verdict, _) = stop.verdict();
    let mut steps = Vec::new();
    collect_unwalked(shared, &planned.scenario.steps, name, stop, &mut steps);
    ScenarioResult {
        name: name.to_owned(),
        title: planned.scenario.title.clone(),
        section: planned.file.section.clone(),
        verdict,
        steps,
        answers: Vec::new(),
        not_run: match stop {
            Stop::NotRun(not_run) => {
                let mut not_run = not_run.clone();
                if not_run.tolerate_as.is_empty() {
                    not_run.tolerate_as = planned.name();
                    not_run.is_tolerated |= shared.target.tolerates(&planned.name());
                }
                Some(not_run)
            }
            Stop::NotApplicable(_) | Stop::Ours(_) => None,
        },
        known: None,
        duration: begun.elapsed(),
        at: planned.scenario.at.clone(),
    }
}

fn collect_unwalked(
    shared: &RunContext,
    steps: &[Step],
    scenario: &str,
    stop: &Stop,
    results: &mut Vec<StepResult>,
) {
    for step in steps {
        let (scenario_name, step_name) = (Arc::from(scenario), Arc::from(step.name.as_str()));
        let origin = judge::CheckOrigin {
            scenario: scenario_name,
            step: step_name,
            strict: shared.options.strict,
            own_rows: Arc::clone(&shared.own_rows),
        };
        let checks: Vec<_> =
            declared::checks(step).into_iter().map(|check| origin.unjudged(check, stop)).collect();
        if !checks.is_empty() {
            results.push(StepResult {
                name: step.name.clone(),
                verdict: stop.verdict().0,
                exchanges: Vec::new(),
                checks: judge::merged(checks),
                passed: 0,
                duration: std::time::Duration::ZERO,
            });
        }
        collect_unwalked(shared, declared::inner(step), scenario, stop, results);
    }
}
