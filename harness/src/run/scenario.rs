//! Runs one scenario: its needs, its rows, its steps in order, and the `finally` steps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moot_fixtures::contract::Operation;
use moot_fixtures::{questions, register};
use serde_json::Value;

use crate::scenario::declared;
use crate::scenario::plan::{self, Planned};
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::result::{CheckResult, Event, ScenarioResult, StepResult, Subject};
use crate::verdict::{NotRun, NotRunKind, Verdict};

use super::context::RunContext;
use super::judge::CheckOrigin;
use super::rows::{list, no_rows, row_label};
use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::turn;
use super::{keep, movement, step, token_budget};

/// Runs every row of a scenario. Each row has its own result.
pub(super) async fn run(shared: &RunContext, planned: Planned<'_>) -> Vec<Arc<ScenarioResult>> {
    (shared.on_event)(Event::Started { name: planned.name() });
    let mut kept = Vec::new();
    for result in run_rows(shared, planned).await {
        let result = Arc::new(result);
        (shared.on_event)(Event::Ended(Arc::clone(&result)));
        let lists_checks = shared.options.lists_checks;
        kept.push(Arc::new(keep::short(Arc::unwrap_or_clone(result), lists_checks)));
    }
    kept
}

/// The result of a scenario that was aborted.
pub(super) fn aborted(
    shared: &RunContext,
    planned: Planned<'_>,
    stop: &Stop,
) -> Vec<Arc<ScenarioResult>> {
    let result = Arc::new(skipped(shared, planned, &planned.name(), stop, Instant::now()));
    (shared.on_event)(Event::Ended(Arc::clone(&result)));
    vec![result]
}

async fn run_rows(shared: &RunContext, planned: Planned<'_>) -> Vec<ScenarioResult> {
    let started = Instant::now();
    let skipped = |name: &ScenarioName, stop: &Stop| skipped(shared, planned, name, stop, started);
    let rows = match check_scenario(shared, planned).await {
        Ok(()) => rows(shared, planned).await,
        Err(stop) => Err(stop),
    };
    let rows = match rows {
        Ok(rows) => rows,
        Err(stop) => return vec![skipped(&planned.name(), &stop)],
    };
    let mut results: Vec<ScenarioResult> = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let mut name = planned.name();
        if let Some(row) = &row {
            name = name.with_row(shared.options.masks.mask(&row_label(row)));
            if results.iter().any(|result| result.name == name) {
                name = name.with_row((index + 1).to_string());
            }
        }
        results.push(match check_row(shared, planned, index, row.as_ref()).await {
            Ok(()) => run_row(shared, planned, &name, row.map(|_| index)).await,
            Err(stop) => skipped(&name, &stop),
        });
    }
    results
}

/// The result of a scenario without a step that ran. Each check that it declares has the reason.
fn skipped(
    shared: &RunContext,
    planned: Planned<'_>,
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
            let (exchanges, duration) = (Vec::new(), Duration::ZERO);
            steps.push(StepResult { name, verdict, exchanges, checks, passed: 0, duration });
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

/// Stops a scenario that is excluded, or that has a need which the target does not meet.
async fn check_scenario(shared: &RunContext, planned: Planned<'_>) -> Result<(), Stop> {
    shared.check_interruption()?;
    if let Some(selector) = plan::excluding(&planned, &shared.options.excluded) {
        let reason = format!("left out by `--exclude {selector}`");
        let setting = Some("a run without that option".to_owned());
        let not_run = NotRun { setting, ..NotRun::new(NotRunKind::Excluded, reason) };
        return Err(Stop::NotRun(not_run));
    }
    let needs = &planned.scenario.needs;
    if let Some(not_run) = needs.iter().find_map(|need| shared.target.missing(need)) {
        return Err(Stop::NotRun(not_run));
    }
    for need in needs {
        if let Some(not_run) = shared.target.refused(need).await {
            return Err(Stop::NotRun(not_run));
        }
    }
    if judges_creation(planned)
        && let Some(not_run) = shared.target.refused_requester().await
    {
        return Err(Stop::NotRun(not_run));
    }
    Ok(())
}

/// Whether a scenario that writes judges, or observes, the creation of legal requests (§4.5). If the target refused the
/// requester of the target file, its checks would blame the service for a mistake in that file.
fn judges_creation(planned: Planned<'_>) -> bool {
    let Planned { file, scenario, .. } = planned;
    let clause = Operation::CreateLegalRequest.section();
    // A requirement that the file states itself has the section of the file.
    let judges =
        |id: &String| register::get(id).map_or(&file.section, |row| &row.section) == clause;
    let observes = |id: &String| questions::get(id).is_some_and(|it| it.section == clause);
    scenario.needs.iter().any(|need| need == "write")
        && (declared::requirements(&scenario.steps).iter().any(judges)
            || declared::questions(&scenario.steps).iter().any(observes))
}

/// Stops a row with a workflow that is not there, or with too many token requests.
async fn check_row(
    shared: &RunContext,
    planned: Planned<'_>,
    index: usize,
    row: Option<&Value>,
) -> Result<(), Stop> {
    shared.check_interruption()?;
    if let Some(Value::String(id)) = row
        && let Some(not_run) = shared.target.refused_workflow(id).await
    {
        return Err(Stop::NotRun(not_run));
    }
    let own = token_budget::token_requests(planned.scenario);
    let left = shared.target.token_requests_left();
    let refused = shared.token_budget.refuses(&planned.name().to_string(), index, own, left);
    refused.map_or(Ok(()), |not_run| Err(Stop::NotRun(not_run)))
}

/// The rows of a scenario. Without `for_each` there is one row without a value.
async fn rows(shared: &RunContext, planned: Planned<'_>) -> Result<Vec<Option<Value>>, Stop> {
    let Some(for_each) = &planned.scenario.for_each else { return Ok(vec![None]) };
    let session =
        shared.target.session(&planned.name().to_string(), &planned.scenario.sandbox).await?;
    let rows = list(&session.roots(), &for_each.rows);
    session.close().await;
    let rows = rows?;
    match rows.is_empty() {
        true => Err(no_rows(for_each)),
        false => Ok(rows.into_iter().map(Some).collect()),
    }
}

/// Runs one row. With `confirm`, a failure on a deployment counts only if it shows twice and the data did not move.
async fn run_row(
    shared: &RunContext,
    planned: Planned<'_>,
    name: &ScenarioName,
    row: Option<usize>,
) -> ScenarioResult {
    let confirms = planned.scenario.confirm && !shared.target.is_mock();
    if confirms {
        // Lists may still change because of earlier scenarios.
        tokio::time::sleep(shared.changes.unsettled()).await;
    }
    let changes = !turn::only_reads(planned.scenario);
    let may_lag = !changes && !shared.changes.left_of(shared.target.settle).is_zero();
    let mut first = attempt(shared, planned, name, row).await;
    if confirms && first.verdict == Verdict::Fail && may_lag {
        // Lists may have shown earlier changes during this pass. It is repeated when they had the time for it.
        tokio::time::sleep(shared.changes.left_of(shared.target.settle)).await;
        first = attempt(shared, planned, name, row).await;
    }
    if !confirms || first.verdict != Verdict::Fail {
        return first;
    }
    // A scenario that changes data runs alone. Its own changes are no movement, so both looks are taken after it, with
    // the duration of the scenario between them.
    let before = match changes {
        true => None,
        false => Some(movement::look(shared, planned, name).await),
    };
    let second = attempt(shared, planned, name, row).await;
    if second.verdict != Verdict::Fail {
        return unconfirmed(first, "did not show in a second pass, data changed", |_| true);
    }
    let before = match before {
        Some(before) => before,
        None => {
            let before = movement::look(shared, planned, name).await;
            tokio::time::sleep(second.duration).await;
            before
        }
    };
    let after = movement::look(shared, planned, name).await;
    if before.differs(&after) {
        return unconfirmed(second, "others changed the data while it was judged, twice", |_| true);
    }
    let failed_first: Vec<Subject> = first
        .steps
        .iter()
        .flat_map(|step| &step.checks)
        .filter(|check| check.verdict == Verdict::Fail)
        .map(|check| check.subject.clone())
        .collect();
    let only_now = |check: &CheckResult| !failed_first.contains(&check.subject);
    unconfirmed(second, "did not show in the first pass, data changed", only_now)
}

/// Sets failures that prove nothing to "not run": those for which `is_doubtful` holds.
fn unconfirmed(
    mut result: ScenarioResult,
    why: &str,
    is_doubtful: impl Fn(&CheckResult) -> bool,
) -> ScenarioResult {
    for step in &mut result.steps {
        for check in &mut step.checks {
            if check.verdict == Verdict::Fail && is_doubtful(check) {
                check.verdict = Verdict::NotRun;
                check.not_run = Some(NotRunKind::DataChanged);
                check.message = format!("{why}: {}", check.message);
            }
        }
        step.verdict = Verdict::worst(step.checks.iter().map(|check| check.verdict));
    }
    result.verdict = Verdict::worst(result.steps.iter().map(|step| step.verdict));
    result
}

async fn attempt(
    shared: &RunContext,
    planned: Planned<'_>,
    name: &ScenarioName,
    row: Option<usize>,
) -> ScenarioResult {
    let started = Instant::now();
    let session = match shared.target.session(&name.to_string(), &planned.scenario.sandbox).await {
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

#[cfg(test)]
mod tests {
    use super::{judges_creation, plan};
    use crate::scenario::load;

    #[test]
    fn scenarios_about_creation_need_a_requester_that_the_target_accepts() {
        let files = load::bundled().expect("the bundled suite is sound");
        let all = plan::select(&files, &[]).expect("all scenarios");
        let judging: Vec<_> = all.iter().filter(|planned| judges_creation(**planned)).collect();
        assert!(judging.len() > 30, "{}", judging.len());
        for planned in judging {
            let stem = &planned.file.stem;
            assert!(
                stem.starts_with("04_05") || stem.starts_with("journey_"),
                "{}",
                planned.name()
            );
        }
    }
}
