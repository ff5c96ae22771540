//! Runs the rows of one scenario, if the target meets its needs.

use std::sync::Arc;
use std::time::Instant;

use moot_fixtures::contract::Operation;
use moot_fixtures::{questions, register};
use serde_json::Value;

use crate::scenario::ScenarioName;
use crate::scenario::declared;
use crate::scenario::plan::{self, PlanEntry};
use crate::verdict::result::{Event, ScenarioResult};
use crate::verdict::{NotRun, NotRunKind};

use super::context::RunContext;
use super::repeatable_row::{RepeatableRow, skipped};
use super::rows::{list, no_rows, row_label};
use super::stop::Stop;
use super::{confirm, shorten, token_budget};

/// Runs every row of a scenario. Each row has its own result.
pub(super) async fn run(shared: &RunContext, planned: PlanEntry<'_>) -> Vec<Arc<ScenarioResult>> {
    (shared.on_event)(Event::Started { name: planned.name() });
    let mut kept = Vec::new();
    for result in run_rows(shared, planned).await {
        let result = Arc::new(result);
        (shared.on_event)(Event::Ended(Arc::clone(&result)));
        let lists_checks = shared.options.lists_checks;
        kept.push(Arc::new(shorten::shortened(Arc::unwrap_or_clone(result), lists_checks)));
    }
    kept
}

/// The result of a scenario that was aborted.
pub(super) fn aborted(
    shared: &RunContext,
    planned: PlanEntry<'_>,
    stop: &Stop,
) -> Vec<Arc<ScenarioResult>> {
    let result = Arc::new(skipped(shared, planned, &planned.name(), stop, Instant::now()));
    (shared.on_event)(Event::Ended(Arc::clone(&result)));
    vec![result]
}

async fn run_rows(shared: &RunContext, planned: PlanEntry<'_>) -> Vec<ScenarioResult> {
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
            // A name with the tag would be another one in each run.
            let label = row_label(row).replace(&shared.options.target.run_tag, "run.tag");
            name = name.with_row(shared.options.masks.mask(&label));
            if results.iter().any(|result| result.name == name) {
                name = name.with_row((index + 1).to_string());
            }
        }
        results.push(match check_row(shared, planned, index, row.as_ref()).await {
            Ok(()) => {
                let row = row.map(|_| index);
                confirm::run(RepeatableRow { shared, planned, name: &name, row }).await
            }
            Err(stop) => skipped(&name, &stop),
        });
    }
    results
}

/// Stops a scenario that is excluded, or that has a need which the target does not meet.
async fn check_scenario(shared: &RunContext, planned: PlanEntry<'_>) -> Result<(), Stop> {
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
fn judges_creation(planned: PlanEntry<'_>) -> bool {
    let PlanEntry { file, scenario, .. } = planned;
    let clause = Operation::CreateLegalRequest.section();
    // A requirement that the file states itself has the section of the file.
    let judges =
        |id: &String| register::get(id).map_or(&file.section, |row| &row.section) == clause;
    let observes = |id: &String| questions::get(id).is_some_and(|it| it.section == clause);
    scenario.needs("write")
        && (declared::requirements(&scenario.steps).iter().any(judges)
            || declared::questions(&scenario.steps).iter().any(observes))
}

/// Stops a row with a workflow that is not there, or with too many token requests.
async fn check_row(
    shared: &RunContext,
    planned: PlanEntry<'_>,
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
async fn rows(shared: &RunContext, planned: PlanEntry<'_>) -> Result<Vec<Option<Value>>, Stop> {
    let Some(for_each) = &planned.scenario.for_each else { return Ok(vec![None]) };
    let session = shared
        .target
        .session(&planned.name().to_string(), &planned.scenario.sandbox_settings())
        .await?;
    let rows = list(&session.roots(), &for_each.rows);
    session.close().await;
    let rows = rows?;
    match rows.is_empty() {
        true => Err(no_rows(for_each)),
        false => Ok(rows.into_iter().map(Some).collect()),
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
