//! Reading what a step asks for. A list may show a change later than the call that made it: it is read
//! again, with growing pauses, until the step's checks hold or `limits.settle_seconds` are over.
//!
//! This covers every step that reads a list after a change, whatever it checks. The language needs no
//! key for it.

use std::time::Duration;

use moot_fixtures::contract::Operation;

use crate::scenario::model::RequestStep;
use crate::verdict::Verdict;
use crate::verdict::check::{self, AnswerPart, Document, Judgement};
use crate::verdict::result::CheckResult;

use super::pages::StepResponse;
use super::scenario_walk::ScenarioWalk;
use super::send;
use super::stop::Stop;
use super::{observe, pages};

/// The question that a lag answers. Every step that reads a list may observe it.
pub const LIST_LAG: &str = "list_lag";

/// Reads it once; a list that lags is read again.
pub(super) async fn read(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
) -> Result<StepResponse, Stop> {
    let key = format!("repeats of {}", walk.label);
    // A step that read its list once left nothing in the recording.
    let mut repeats_recorded = walk
        .session
        .recorded(&key)
        .map(|repeats| repeats.ok().and_then(|repeats| repeats.as_u64()).unwrap_or(0));
    let mark = walk.record.checks.len();
    let mut repeats = 0;
    let reading = loop {
        let reading = read_once(walk, step).await?;
        let is_list = reading.exchange.request.operation.is_some_and(is_list);
        if !is_list
            || is_wrongly_given(walk, step, &reading)
            || holds(walk, step, &reading.document, mark)
        {
            break reading;
        }
        let pause = match &mut repeats_recorded {
            Some(0) => None,
            Some(rest) => {
                *rest -= 1;
                Some(Duration::ZERO)
            }
            None => walk.settle_time.pause(walk.session.has_admin()),
        };
        let Some(pause) = pause else { break reading };
        send::wait(walk, pause).await?;
        repeats += 1;
        let is_implicit = |check: &CheckResult| check.place.is_none();
        let later = walk.record.checks.split_off(mark);
        walk.record.checks.extend(later.into_iter().filter(is_implicit));
    };
    if repeats > 0 {
        walk.session.keep(key, repeats.into());
        if holds(walk, step, &reading.document, mark) {
            let lag = walk.settle_time.waited();
            walk.shared.changes.note_lag(lag);
            let seconds = lag.as_millis().div_ceil(1000) as u64;
            let exchange = Some(&reading.exchange);
            let answer = observe::answer(walk, LIST_LAG, seconds.into(), exchange);
            walk.record.checks.push(answer);
        }
    }
    Ok(reading)
}

async fn read_once(walk: &mut ScenarioWalk<'_>, step: &RequestStep) -> Result<StepResponse, Stop> {
    match &step.each_page {
        Some(each_page) => pages::walk(walk, &step.shape, each_page).await,
        None => {
            let (document, exchange) = send::sent(walk, &step.shape).await?;
            Ok(StepResponse { document, exchange, doubt: None })
        }
    }
}

/// The operations that may lag: lists, and the activity log.
fn is_list(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::ListWorkflows
            | Operation::ListLegalRequests
            | Operation::GetLegalRequestActivity
            | Operation::ListRepositoryDocuments
            | Operation::ListWebhooks
    )
}

/// Whether a list was given that should have been refused. No lag explains that.
fn is_wrongly_given(walk: &ScenarioWalk<'_>, step: &RequestStep, reading: &StepResponse) -> bool {
    let Ok(response) = &reading.exchange.outcome else { return false };
    let origin = walk.origin();
    let is_refusal_wanted = |check| {
        let result = origin.judge(check, &reading.document, &walk.names, None);
        result.verdict == Verdict::Fail && result.part == Some(AnswerPart::Status)
    };
    (200..300).contains(&response.status) && step.expect.iter().any(is_refusal_wanted)
}

/// Whether nothing that the step asks for fails: its precondition, its checks, those of its pages, which are in the
/// record from `mark` on.
fn holds(walk: &ScenarioWalk<'_>, step: &RequestStep, document: &Document, mark: usize) -> bool {
    let is_met = |require| {
        let judgement = check::expectation::judge(require, document, &walk.names);
        !matches!(judgement, Judgement::Fails(_))
    };
    let origin = walk.origin();
    let of_pages = &walk.record.checks[mark..];
    let fails = |check| origin.judge(check, document, &walk.names, None).verdict == Verdict::Fail;
    step.require.as_ref().is_none_or(is_met)
        && !step.expect.iter().any(fails)
        && !of_pages.iter().any(|check| check.place.is_some() && check.verdict == Verdict::Fail)
}
