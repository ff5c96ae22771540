//! Walking steps in order: dispatch, loops, names, assumptions, and what a stop leaves unjudged.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scenario::model::{Assumption, BoundValue, ForEach, Step, StepAction};
use crate::verdict::Verdict;
use crate::verdict::check::{self, Document, Judgement, PlaceValue};
use crate::verdict::result::{CheckResult, StepResult};

use super::rows::{list, once_each, row_label};
use super::scenario_walk::{ScenarioWalk, StepRecord};
use super::stop::Stop;
use super::{admin, burst, judge, operator, receive, request};
use crate::scenario::declared;

/// Loops of run time walk at most so many rows.
const LOOP_ROWS_MAX: usize = 200;

/// Walks steps in order; what a stop leaves unjudged is recorded with its reason.
pub(super) async fn walk_all<'a>(
    walk: &mut ScenarioWalk<'a>,
    steps: &'a [Step],
    suffix: &str,
) -> Result<(), Stop> {
    for (index, step) in steps.iter().enumerate() {
        if let Err(stop) = walk.interrupted() {
            skip_all(walk, &steps[index..], suffix, &stop);
            return Err(stop);
        }
        if let Err(stop) = Box::pin(walk_one(walk, step, suffix)).await {
            skip_all(walk, &steps[index + 1..], suffix, &stop);
            return Err(stop);
        }
    }
    Ok(())
}

/// Records all that these steps declare as unjudged.
pub(super) fn skip_all(walk: &mut ScenarioWalk<'_>, steps: &[Step], suffix: &str, stop: &Stop) {
    for step in steps {
        walk.begin_step(format!("{}{suffix}", step.name));
        let origin = walk.origin();
        let checks = declared::checks(step).into_iter().map(|check| origin.unjudged(check, stop));
        walk.record.checks = checks.collect();
        end_step(walk, Duration::ZERO);
        // Steps that always run are not announced by a step that was never sent.
        if let StepAction::ForEach(_, inner) = &step.action {
            skip_all(walk, inner, suffix, stop);
        }
    }
}

async fn walk_one<'a>(
    walk: &mut ScenarioWalk<'a>,
    step: &'a Step,
    suffix: &str,
) -> Result<(), Stop> {
    walk.begin_step(format!("{}{suffix}", step.name));
    let begun = Instant::now();
    let walked = match &step.action {
        StepAction::Request(request) => request::walk(walk, request, suffix).await,
        StepAction::Burst(burst) => burst::walk(walk, burst).await,
        StepAction::Receive(receive) => receive::walk(walk, receive).await,
        StepAction::Admin(admin) => admin::walk(walk, admin).await,
        StepAction::Operator(operator) => operator::walk(walk, operator).await,
        StepAction::ForEach(rows, steps) => return walk_loop(walk, rows, steps, suffix).await,
        StepAction::Let(bindings) => return bind(walk, bindings),
        StepAction::Assume(assumption) => return assume(walk, assumption),
    };
    if let Err(stop) = &walked {
        let unjudged = unjudged(walk, step, stop);
        walk.record.checks.extend(unjudged);
    }
    end_step(walk, begun.elapsed());
    walked
}

/// What the step declares and did not judge.
fn unjudged(walk: &ScenarioWalk<'_>, step: &Step, stop: &Stop) -> Vec<CheckResult> {
    let origin = walk.origin();
    let judged = &walk.record.checks;
    declared::checks(step)
        .into_iter()
        .map(|check| origin.unjudged(check, stop))
        .filter(|result| !judged.iter().any(|known| known.id() == result.id()))
        .collect()
}

fn end_step(walk: &mut ScenarioWalk<'_>, duration: Duration) {
    let StepRecord { exchanges, checks } = std::mem::take(&mut walk.record);
    let checks = judge::merged(checks);
    if checks.is_empty() && exchanges.is_empty() {
        return;
    }
    let verdict = Verdict::worst(checks.iter().map(|check| check.verdict));
    let name = walk.label.to_string();
    walk.steps.push(StepResult { name, verdict, exchanges, checks, passed: 0, duration });
}

async fn walk_loop<'a>(
    walk: &mut ScenarioWalk<'a>,
    for_each: &'a ForEach,
    steps: &'a [Step],
    suffix: &str,
) -> Result<(), Stop> {
    let mut rows = list(&walk.names, &for_each.rows)?;
    if !for_each.rows.is_written() {
        rows = once_each(rows);
    }
    if rows.is_empty() {
        let stop = Stop::NotApplicable(format!("there is no {} to try it with", for_each.name));
        skip_all(walk, steps, suffix, &stop);
        return Ok(());
    }
    // What one row was told has no name in the next.
    let before = (walk.is_row, walk.placeholders.clone());
    walk.is_row |= !for_each.rows.is_written();
    for row in rows.into_iter().take(LOOP_ROWS_MAX) {
        if walk.is_row {
            before.1.clone_into(&mut walk.placeholders);
        }
        let label = walk.shared.options.masks.mask(&row_label(&row));
        walk.names.push();
        walk.names.set(&for_each.name, row);
        let walked = walk_all(walk, steps, &format!("{suffix}[{label}]")).await;
        walk.names.pop();
        match walked {
            // An assumption that fails in one row says nothing of the next.
            Ok(()) | Err(Stop::NotApplicable(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    if walk.is_row {
        (walk.is_row, walk.placeholders) = before;
    }
    Ok(())
}

fn bind(walk: &mut ScenarioWalk<'_>, bindings: &[(String, BoundValue)]) -> Result<(), Stop> {
    for (name, bound) in bindings {
        let from = bound.from.render(&walk.names)?;
        let value = match &bound.at {
            None => Some(from),
            Some(place) => check::place::value(place, &Document::of_value(from), &walk.names),
        };
        walk.names.set(name, value.unwrap_or(Value::Null));
    }
    Ok(())
}

fn assume(walk: &ScenarioWalk<'_>, assumption: &Assumption) -> Result<(), Stop> {
    for (text, matcher) in &assumption.conditions {
        // A value that is not there does not satisfy an assumption; that is not trouble.
        let value = text.render(&walk.names).ok().filter(|value| !value.is_null());
        let judgement = check::matcher::judge(matcher, &PlaceValue::One(value), &walk.names);
        match judgement {
            Judgement::Holds => {}
            Judgement::Fails(_) | Judgement::Empty { .. } => {
                return Err(Stop::NotApplicable(assumption.because.clone()));
            }
        }
    }
    Ok(())
}

/// Opens the receivers that the scenario names.
pub(super) async fn receivers(walk: &mut ScenarioWalk<'_>) -> Result<(), Stop> {
    let mut opened = serde_json::Map::new();
    for name in &walk.planned.scenario.receivers {
        let receiver = walk.session.receiver(name).await?;
        opened.insert(
            name.clone(),
            serde_json::json!({ "url": receiver.url(), "secret": receiver.secret() }),
        );
        walk.receivers.insert(name.clone(), receiver);
    }
    if !opened.is_empty() {
        walk.names.set("receivers", Value::Object(opened));
    }
    Ok(())
}
