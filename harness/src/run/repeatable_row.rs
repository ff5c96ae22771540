//! One row of a scenario, which may be run more than once: its steps in order, and the `finally` steps.

use std::sync::Arc;
use std::time::Instant;

use crate::scenario::plan::PlanEntry;
use crate::scenario::{ScenarioName, StepName, declared};
use crate::verdict::result::{ScenarioResult, StepResult};
use crate::verdict::{NotRun, NotRunKind, Verdict};

use super::context::RunContext;
use super::judge::CheckOrigin;
use super::movement::{self, Moment};
use super::rows::list;
use super::scenario_run::ScenarioRun;
use super::step;
use super::stop::Stop;

/// One row of a scenario.
#[derive(Clone, Copy)]
pub(super) struct RepeatableRow<'a> {
    pub(super) shared: &'a RunContext,
    pub(super) planned: PlanEntry<'a>,
    pub(super) name: &'a ScenarioName,
    /// Its place in the rows; `None` if the scenario has no rows.
    pub(super) row: Option<usize>,
}

impl RepeatableRow<'_> {
    /// Runs the row once.
    pub(super) async fn run(&self) -> ScenarioResult {
        let Self { shared, planned, name, row } = *self;
        let started = Instant::now();
        let opened =
            shared.target.session(&name.to_string(), &planned.scenario.sandbox_settings()).await;
        let session = match opened {
            Ok(session) => session,
            Err(trouble) => return skipped(shared, planned, name, &Stop::from(trouble), started),
        };
        let mut run = ScenarioRun::new(shared, &session, planned, name);
        let result = match set_row(&mut run, row) {
            Ok(()) => {
                let stop = run_steps(&mut run).await;
                result(run, stop, started)
            }
            Err(stop) => skipped(shared, planned, name, &stop, started),
        };
        session.close().await;
        result
    }

    /// Reads the data of the target.
    pub(super) async fn look(&self) -> Moment {
        movement::look(self.shared, self.planned, self.name).await
    }
}

/// Names the value of the row. It is read again, because secrets differ between sandboxes.
fn set_row(run: &mut ScenarioRun<'_>, row: Option<usize>) -> Result<(), Stop> {
    let (Some(for_each), Some(row)) = (&run.planned.scenario.for_each, row) else {
        return Ok(());
    };
    let value = list(&run.names, &for_each.rows)?
        .into_iter()
        .nth(row)
        .ok_or_else(|| Stop::not_run(NotRunKind::DataChanged, "the row is not there any more"))?;
    run.names.set(&for_each.name, value);
    Ok(())
}

async fn run_steps(run: &mut ScenarioRun<'_>) -> Option<Stop> {
    let steps = &run.planned.scenario.steps;
    let stop = match step::open_receivers(run).await {
        Ok(()) => step::run_all(run, steps, &[]).await.err(),
        Err(stop) => {
            step::skip_all(run, steps, &[], &stop);
            Some(stop)
        }
    };
    run.is_final = true;
    while let Some(last) = run.finals.pop() {
        run.names = last.names;
        // The checks of `finally` steps report their failures. The first stop stays the reason.
        let _ = step::run_all(run, last.steps, &last.rows).await;
    }
    stop
}

fn result(run: ScenarioRun<'_>, stop: Option<Stop>, started: Instant) -> ScenarioResult {
    let mut verdict = Verdict::worst(run.steps.iter().map(|step| step.verdict));
    let mut not_run = None;
    if let Some(stop) = stop {
        verdict = verdict.max(stop.verdict().0);
        if let Stop::NotRun(why) = stop {
            not_run = Some(tolerated(run.shared, &run.name, why));
        }
    }
    ScenarioResult {
        verdict,
        not_run,
        duration: started.elapsed(),
        answers: run.answers,
        steps: run.steps,
        ..ScenarioResult::new(run.planned, &run.name)
    }
}

/// The result of a scenario without a step that ran. Each check that it declares has the reason.
pub(super) fn skipped(
    shared: &RunContext,
    planned: PlanEntry<'_>,
    name: &ScenarioName,
    stop: &Stop,
    started: Instant,
) -> ScenarioResult {
    let (verdict, _) = stop.verdict();
    let scenario = Arc::new(name.clone());
    let mut steps = Vec::new();
    declared::collect(&planned.scenario.steps, &mut |step| {
        let name = StepName::new(&step.name, &[]);
        let origin = CheckOrigin::new(shared, &scenario, &Arc::new(name.clone()));
        let checks = step::merged(origin.unjudged(step, stop));
        if !checks.is_empty() {
            steps.push(StepResult::new(name, checks));
        }
    });
    let mut result = ScenarioResult {
        verdict,
        steps,
        duration: started.elapsed(),
        ..ScenarioResult::new(planned, name)
    };
    if let Stop::NotRun(not_run) = stop {
        result.not_run = Some(tolerated(shared, &result.name, not_run.clone()));
    }
    result
}

/// The reason why a scenario was not run, with whether the target file tolerates that by the name of the scenario.
fn tolerated(shared: &RunContext, name: &ScenarioName, mut not_run: NotRun) -> NotRun {
    let whole = name.without_row().to_string();
    not_run.is_tolerated |=
        [&whole, &name.to_string()].into_iter().any(|name| shared.target.tolerates(name));
    if not_run.tolerate_as.is_empty() {
        not_run.tolerate_as = whole;
    }
    not_run
}
