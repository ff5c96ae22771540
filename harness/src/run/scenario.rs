//! Walking one scenario: its needs, its rows, its steps in order, and what always runs.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;

use crate::scenario::plan::{self, Planned};
use crate::verdict::result::{CheckResult, Event, ScenarioResult, Subject};
use crate::verdict::{NotRun, NotRunKind, Verdict};

use super::context::RunContext;
use super::interruption::REASON;
use super::rows::{list, row_label};
use super::scenario_walk::{ScenarioWalk, root_names, walk_on};
use super::stop::Stop;
use super::turn::{self, ScenarioEffect};
use super::unwalked::unwalked;
use super::{keep, movement, step, token_budget};

/// Walks every row of a scenario; each is a result of its own.
pub(super) async fn walk(shared: &RunContext, planned: Planned<'_>) -> Vec<Arc<ScenarioResult>> {
    (shared.on_event)(Event::Started { name: planned.name() });
    let mut kept = Vec::new();
    for result in rows_walked(shared, planned).await {
        let result = Arc::new(result);
        (shared.on_event)(Event::Ended(Arc::clone(&result)));
        kept.push(Arc::new(keep::short(Arc::unwrap_or_clone(result), shared.options.kept)));
    }
    kept
}

/// A scenario whose walk broke off by a fault of ours.
pub(super) fn broken(
    shared: &RunContext,
    planned: Planned<'_>,
    error: &tokio::task::JoinError,
) -> Vec<Arc<ScenarioResult>> {
    let stop = Stop::Ours(format!("the walk broke off, which is a bug of moot: {error}"));
    let result = Arc::new(unwalked(shared, planned, &planned.name(), &stop, Instant::now()));
    (shared.on_event)(Event::Ended(Arc::clone(&result)));
    vec![result]
}

/// A scenario that did not end in the time that an interruption leaves.
pub(super) fn cut_off(shared: &RunContext, planned: Planned<'_>) -> Vec<Arc<ScenarioResult>> {
    let stop =
        Stop::not_run(NotRunKind::Interrupted, format!("{REASON}, and this did not end in time"));
    let result = Arc::new(unwalked(shared, planned, &planned.name(), &stop, Instant::now()));
    (shared.on_event)(Event::Ended(Arc::clone(&result)));
    vec![result]
}

async fn rows_walked(shared: &RunContext, planned: Planned<'_>) -> Vec<ScenarioResult> {
    let begun = Instant::now();
    let not_walked = |name: &str, stop: &Stop| unwalked(shared, planned, name, stop, begun);
    let rows = match check_scenario(shared, planned).await {
        Ok(()) => rows(shared, planned).await,
        Err(stop) => Err(stop),
    };
    let rows = match rows {
        Ok(rows) => rows,
        Err(stop) => return vec![not_walked(&planned.name(), &stop)],
    };
    let mut results: Vec<ScenarioResult> = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let mut name = planned.name();
        if let Some(row) = &row {
            name = format!("{name}[{}]", shared.options.masks.mask(&row_label(row)));
            if results.iter().any(|result| result.name == name) {
                name = format!("{}[{}]", planned.name(), index + 1);
            }
        }
        results.push(match check_row(shared, planned, index, row.as_ref()).await {
            Ok(()) => row_walked(shared, planned, &name, row.map(|_| index)).await,
            Err(stop) => not_walked(&name, &stop),
        });
    }
    results
}

/// Whether a scenario is walked at all.
async fn check_scenario(shared: &RunContext, planned: Planned<'_>) -> Result<(), Stop> {
    check_interruption(shared)?;
    if let Some(selector) = plan::excluding(&planned, &shared.options.excluded) {
        let reason = format!("left out by `--exclude {selector}`");
        let setting = Some("a run without that option".to_owned());
        let not_run = NotRun { setting, ..NotRun::new(NotRunKind::Excluded, reason) };
        return Err(Stop::NotRun(not_run));
    }
    let stop = |mut not_run: NotRun| {
        not_run.is_tolerated |= shared.target.tolerates(&planned.name());
        Err(Stop::NotRun(not_run))
    };
    let needs = &planned.scenario.needs;
    if let Some(not_run) = needs.iter().find_map(|need| shared.target.missing(need)) {
        return stop(not_run);
    }
    for need in needs {
        if let Some(not_run) = shared.target.refused(need).await {
            return stop(not_run);
        }
    }
    let creates_requests =
        planned.file.section.starts_with("4.5") || planned.file.stem.starts_with("journey");
    if creates_requests
        && needs.iter().any(|need| need == "write")
        && let Some(not_run) = shared.target.refused_requester().await
    {
        return Err(Stop::NotRun(not_run));
    }
    Ok(())
}

/// Whether a row of a scenario is walked.
async fn check_row(
    shared: &RunContext,
    planned: Planned<'_>,
    index: usize,
    row: Option<&Value>,
) -> Result<(), Stop> {
    check_interruption(shared)?;
    if let Some(Value::String(id)) = row
        && let Some(not_run) = shared.target.refused_workflow(id).await
    {
        return Err(Stop::NotRun(not_run));
    }
    let own = token_budget::token_requests(planned.scenario);
    let left = shared.target.token_requests_left();
    let refused = shared.token_budget.refuses(&planned.name(), index, own, left);
    refused.map_or(Ok(()), |not_run| Err(Stop::NotRun(not_run)))
}

fn check_interruption(shared: &RunContext) -> Result<(), Stop> {
    match shared.interruption.is_told() {
        true => Err(Stop::not_run(NotRunKind::Interrupted, REASON)),
        false => Ok(()),
    }
}

/// The rows of a scenario: one without a name where it has no `for_each`.
async fn rows(shared: &RunContext, planned: Planned<'_>) -> Result<Vec<Option<Value>>, Stop> {
    let Some(for_each) = &planned.scenario.for_each else { return Ok(vec![None]) };
    let session = shared.target.session(&planned.name(), &planned.scenario.sandbox).await?;
    let names = root_names(&session);
    let rows = list(&names, &for_each.rows);
    session.close().await;
    let rows = rows?;
    if rows.is_empty() {
        return Err(Stop::NotApplicable(format!("there is no {} to try it with", for_each.name)));
    }
    Ok(rows.into_iter().map(Some).collect())
}

async fn row_walked(
    shared: &RunContext,
    planned: Planned<'_>,
    name: &str,
    row: Option<usize>,
) -> ScenarioResult {
    if planned.scenario.confirm && !shared.target.is_mock() {
        // Lists that lag still change by what earlier scenarios did.
        tokio::time::sleep(shared.changes.unsettled()).await;
    }
    let first = attempt(shared, planned, name, row).await;
    let failed = first.verdict == Verdict::Fail;
    if !(planned.scenario.confirm && failed) || shared.target.is_mock() {
        return first;
    }
    // What a scenario makes itself is not movement: beside one that changes anything, nothing is
    // walked between the two looks.
    let mut before = None;
    if turn::effect(planned.scenario) < ScenarioEffect::Changes {
        before = Some(movement::look(shared, planned, name).await);
    }
    let second = attempt(shared, planned, name, row).await;
    if second.verdict != Verdict::Fail {
        return unconfirmed(first, "did not show in a second pass, data changed", |_| true);
    }
    let before = match before {
        Some(before) => before,
        None => movement::look(shared, planned, name).await,
    };
    if turn::effect(planned.scenario) == ScenarioEffect::Changes {
        // Both looks are taken after the walk: others get as much time to change something as they had
        // while it was walked.
        tokio::time::sleep(second.duration).await;
    }
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

/// Failures that prove nothing: those for which `is_doubtful` holds could not be judged.
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
    name: &str,
    row: Option<usize>,
) -> ScenarioResult {
    let begun = Instant::now();
    let session = match shared.target.session(name, &planned.scenario.sandbox).await {
        Ok(session) => session,
        Err(trouble) => return unwalked(shared, planned, name, &Stop::from(trouble), begun),
    };
    let mut names = root_names(&session);
    // Its value in this world: a sandbox has secrets of its own.
    if let (Some(for_each), Some(row)) = (&planned.scenario.for_each, row) {
        let rows = list(&names, &for_each.rows);
        let gone =
            || Stop::not_run(NotRunKind::DataChanged, "the row is not there any more".to_owned());
        match rows.and_then(|rows| rows.into_iter().nth(row).ok_or_else(gone)) {
            Ok(value) => names.set(&for_each.name, value),
            Err(stop) => {
                session.close().await;
                return unwalked(shared, planned, name, &stop, begun);
            }
        }
    }
    let mut walk = walk_on(shared, &session, planned, name, names);
    let stop = walk_steps(&mut walk).await;
    let result = ended(walk, stop, begun);
    session.close().await;
    result
}

async fn walk_steps(walk: &mut ScenarioWalk<'_>) -> Option<Stop> {
    let mut stop = step::receivers(walk).await.err();
    if stop.is_none() {
        stop = step::walk_all(walk, &walk.planned.scenario.steps, "").await.err();
    } else if let Some(stop) = &stop {
        step::skip_all(walk, &walk.planned.scenario.steps, "", stop);
    }
    walk.is_final = true;
    while let Some(last) = walk.finals.pop() {
        // Names of a loop have ended by now; those the steps were written under have not.
        walk.names = last.names;
        // What always runs may fail; it says so by its own checks, and never hides the first stop.
        let _ = step::walk_all(walk, last.steps, &last.suffix).await;
    }
    stop
}

fn ended(walk: ScenarioWalk<'_>, stop: Option<Stop>, begun: Instant) -> ScenarioResult {
    let mut verdict = Verdict::worst(walk.steps.iter().map(|step| step.verdict));
    let mut not_run = None;
    if let Some(stop) = stop {
        verdict = verdict.max(stop.verdict().0);
        if let Stop::NotRun(mut why) = stop {
            why.is_tolerated |= walk.shared.target.tolerates(&walk.planned.name());
            if why.tolerate_as.is_empty() {
                why.tolerate_as = walk.planned.name();
            }
            not_run = Some(why);
        }
    }
    ScenarioResult {
        verdict,
        not_run,
        duration: begun.elapsed(),
        answers: walk.answers.into_inner(),
        steps: walk.steps,
        ..ScenarioResult::new(walk.planned, &walk.name)
    }
}
