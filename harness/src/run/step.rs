//! Runs steps in order: dispatch, loops, names, assumptions, the control plane and the operator. Checks that are not
//! reached are recorded with the reason.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::exchange::Trouble;
use crate::scenario::StepName;
use crate::scenario::model::{
    AdminStep, Assumption, BoundValue, ForEach, OperatorOrder, OperatorStep, Step, StepAction,
};
use crate::verdict::NotRunKind;
use crate::verdict::check::{self, Document, Judgement, PlaceValue};
use crate::verdict::result::{CheckResult, Event, StepResult, Subject};

use super::rows::{list, no_rows, once_each, row_label};
use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{burst, judge, receive, request};

/// Rows of a loop over values that are known only at run time.
const LOOP_ROWS_MAX: usize = 200;

/// Runs steps in order. After a stop, the checks of all further steps are recorded with its reason.
pub(super) async fn run_all<'a>(
    run: &mut ScenarioRun<'a>,
    steps: &'a [Step],
    rows: &[String],
) -> Result<(), Stop> {
    for (index, step) in steps.iter().enumerate() {
        if let Err(stop) = run.check_interruption() {
            skip_all(run, &steps[index..], rows, &stop);
            return Err(stop);
        }
        if let Err(stop) = Box::pin(run_one(run, step, rows)).await {
            skip_all(run, &steps[index + 1..], rows, &stop);
            return Err(stop);
        }
    }
    Ok(())
}

/// Records the checks of these steps with the reason of a stop.
pub(super) fn skip_all(run: &mut ScenarioRun<'_>, steps: &[Step], rows: &[String], stop: &Stop) {
    for step in steps {
        begin_step(run, StepName::new(&step.name, rows));
        run.record.checks = judge::origin(run).unjudged(step, stop);
        end_step(run, Duration::ZERO);
        // `finally` steps belong to a request, which was not sent.
        if let StepAction::ForEach(_, inner) = &step.action {
            skip_all(run, inner, rows, stop);
        }
    }
}

async fn run_one<'a>(
    run: &mut ScenarioRun<'a>,
    step: &'a Step,
    rows: &[String],
) -> Result<(), Stop> {
    begin_step(run, StepName::new(&step.name, rows));
    let started = Instant::now();
    let outcome = match &step.action {
        StepAction::Request(step) => request::run(run, step, rows).await,
        StepAction::Burst(step) => burst::run(run, step).await,
        StepAction::Receive(step) => receive::run(run, step).await,
        StepAction::Admin(step) => ask_control_plane(run, step).await,
        StepAction::Operator(step) => order_operator(run, step).await,
        StepAction::ForEach(for_each, steps) => return run_loop(run, for_each, steps, rows).await,
        StepAction::Let(bindings) => return bind(run, bindings),
        StepAction::Assume(assumption) => return assume(run, assumption),
    };
    let outcome = outcome.map_err(|stop| stop.in_step(step.at.line));
    if let Err(stop) = &outcome {
        let mut left = judge::origin(run).unjudged(step, stop);
        left.retain(|check| !run.record.checks.iter().any(|judged| judged.id() == check.id()));
        run.record.checks.extend(left);
    }
    end_step(run, started.elapsed());
    outcome
}

fn begin_step(run: &mut ScenarioRun<'_>, name: StepName) {
    run.label = Arc::new(numbered(&mut run.labels, name));
}

/// The name with a number, if its text was used before.
fn numbered(used: &mut BTreeSet<String>, mut name: StepName) -> StepName {
    while !used.insert(name.to_string()) {
        name.repetition += 1;
    }
    name
}

fn end_step(run: &mut ScenarioRun<'_>, duration: Duration) {
    let StepResult { exchanges, control, deliveries, checks, .. } = std::mem::take(&mut run.record);
    let checks = merged(checks);
    if checks.is_empty() && exchanges.is_empty() && deliveries.is_empty() {
        return;
    }
    let name = StepName::clone(&run.label);
    let new = StepResult::new(name, checks);
    run.steps.push(StepResult { duration, exchanges, control, deliveries, ..new });
}

/// One result per check of a step: the worst one, at the place of the first.
pub(super) fn merged(results: Vec<CheckResult>) -> Vec<CheckResult> {
    let mut kept: Vec<CheckResult> = Vec::with_capacity(results.len());
    let mut places: HashMap<(bool, Subject), usize> = HashMap::new();
    for result in results {
        match places.entry((result.is_implicit(), result.subject.clone())) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(result);
            }
            Entry::Occupied(place) => {
                let known = &mut kept[*place.get()];
                if result.verdict > known.verdict {
                    *known = result;
                }
            }
        }
    }
    // The results stay in memory until the report.
    kept.shrink_to_fit();
    kept
}

async fn ask_control_plane(run: &mut ScenarioRun<'_>, step: &AdminStep) -> Result<(), Stop> {
    let call = step.call.render_text(&run.names)?;
    let (method, path) = call.split_once(' ').unwrap_or((&call, ""));
    let json = step.json.as_ref().map(|json| json.render(&run.names)).transpose()?;
    let response = run.session.admin(method, path, json).await.map_err(|trouble| {
        let why = match trouble {
            Trouble::Broken(why) => why,
            trouble => format!("the control plane did not perform {path}: {trouble}"),
        };
        Stop::not_run(NotRunKind::NoAnswer, why)
    })?;
    run.note_change();
    let document = Document::of_value(response);
    run.capture(&step.capture, &document);
    let checks = judge::checks(run, &step.expect, &document);
    run.record.checks.extend(checks);
    Ok(())
}

async fn order_operator(run: &mut ScenarioRun<'_>, step: &OperatorStep) -> Result<(), Stop> {
    let order = step.render(&run.names)?;
    if let OperatorOrder::AdvanceClock { seconds } = order {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        run.shared.implicit.note_clock_moved(format!("{} {}", run.name, run.label), seconds);
    }
    let said = run.session.operate(&order).await?;
    run.note_change();
    if !said.is_empty() {
        (run.shared.on_event)(Event::OperatorSaid { action: step.action, said });
    }
    Ok(())
}

async fn run_loop<'a>(
    run: &mut ScenarioRun<'a>,
    for_each: &'a ForEach,
    steps: &'a [Step],
    outer: &[String],
) -> Result<(), Stop> {
    let mut rows = list(&run.names, &for_each.rows)?;
    if !for_each.rows.is_written() {
        rows = once_each(rows);
    }
    if rows.is_empty() {
        skip_all(run, steps, outer, &no_rows(for_each));
        return Ok(());
    }
    // A placeholder of one row must not name a value of the next.
    let before = (run.is_row, run.placeholders.clone());
    run.is_row |= !for_each.rows.is_written();
    for row in rows.into_iter().take(LOOP_ROWS_MAX) {
        if run.is_row {
            before.1.clone_into(&mut run.placeholders);
        }
        let label = run.shared.options.masks.mask(&row_label(&row));
        run.names.push();
        run.names.set(&for_each.name, row);
        let outcome = run_all(run, steps, &[outer, &[label]].concat()).await;
        run.names.pop();
        match outcome {
            // An assumption that fails in one row may hold in the next.
            Ok(()) | Err(Stop::NotApplicable(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    if run.is_row {
        (run.is_row, run.placeholders) = before;
    }
    Ok(())
}

fn bind(run: &mut ScenarioRun<'_>, bindings: &[(String, BoundValue)]) -> Result<(), Stop> {
    for (name, bound) in bindings {
        let from = bound.from.render(&run.names)?;
        let value = match &bound.at {
            None => Some(from),
            Some(place) => check::place::value(place, &Document::of_value(from), &run.names),
        };
        run.names.set(name, value.unwrap_or(Value::Null));
    }
    Ok(())
}

fn assume(run: &ScenarioRun<'_>, assumption: &Assumption) -> Result<(), Stop> {
    for (text, matcher) in &assumption.conditions {
        // A missing value does not satisfy an assumption; it is not an error.
        let value = text.render(&run.names).ok().filter(|value| !value.is_null());
        match check::matcher::judge(matcher, &PlaceValue::One(value), &run.names) {
            Judgement::Holds => {}
            Judgement::Fails(_) | Judgement::NotApplicable { .. } => {
                return Err(Stop::NotApplicable(assumption.because.clone()));
            }
        }
    }
    Ok(())
}

/// Opens the receivers that the scenario names.
pub(super) async fn open_receivers(run: &mut ScenarioRun<'_>) -> Result<(), Stop> {
    let mut opened = serde_json::Map::new();
    for name in &run.planned.scenario.receivers {
        let receiver = run.session.receiver(name).await?;
        let names = serde_json::json!({
            "url": receiver.url(), "refusing_url": receiver.refusing_url(), "secret": receiver.secret(),
        });
        opened.insert(name.clone(), names);
        run.receivers.insert(name.clone(), receiver);
    }
    if !opened.is_empty() {
        run.names.set("receivers", Value::Object(opened));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{StepName, numbered};

    #[test]
    fn each_step_has_a_text_of_its_own_even_if_a_name_ends_like_a_number() {
        let mut used = BTreeSet::new();
        let texts = ["read", "read #2", "read", "read", "read #2", "list"]
            .map(|name| numbered(&mut used, StepName::new(name, &[])).to_string());
        assert_eq!(texts, ["read", "read #2", "read #3", "read #4", "read #2 #2", "list"]);
    }
}
