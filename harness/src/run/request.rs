//! One request step: control, request, implicit checks, precondition, captures, checks.

use std::time::Duration;

use moot_fixtures::contract::Operation;

use crate::exchange::Exchange;
use crate::scenario::model::{ControlRequest, Poll, RequestStep};
use crate::verdict::check::{self, Document, Judgement};
use crate::verdict::{NotRun, NotRunKind};

use super::pages::StepResponse;
use super::scenario_walk::{FinalSteps, ScenarioWalk};
use super::send::{CONTROL, holds, lent_or_sent, sent, wait};
use super::stop::Stop;
use super::{observe, pages, prepare, settle, shape, snapshot, unchanged};

pub(super) async fn walk<'a>(
    walk: &mut ScenarioWalk<'a>,
    step: &'a RequestStep,
    suffix: &str,
) -> Result<(), Stop> {
    if let Some(control) = &step.control {
        control_holds(walk, step, control).await?;
    }
    let before = unchanged::before(walk, step).await?;
    let StepResponse { document, exchange, doubt } = match &step.poll {
        Some(poll) => polled(walk, step, poll).await?,
        None if step.reuse => {
            let (document, exchange) = lent_or_sent(walk, &step.shape).await?;
            StepResponse { document, exchange, doubt: None }
        }
        None => settle::read(walk, step).await?,
    };
    // Before the precondition: what always runs may need the names of what was made all the same.
    walk.capture(&step.capture, &document);
    if !step.finally.is_empty() {
        let (suffix, names) = (suffix.to_owned(), walk.names.clone());
        walk.finals.push(FinalSteps { suffix, steps: &step.finally, names });
    }
    refused_default(walk, step, &document, &exchange)?;
    if let Some(require) = &step.require {
        holds(walk, require, &document, NotRunKind::Precondition)?;
    }
    let mut checks = walk.judge(&step.expect, &document, Some(&exchange));
    if let Some(doubt) = doubt {
        checks.iter_mut().for_each(|check| pages::doubted(check, doubt));
    }
    checks.extend(observe::observe(walk, &step.observe, &document, Some(&exchange)));
    if let Some(rule) = &step.snapshot {
        checks.extend(snapshot::judge(walk, rule, &document, &exchange));
    }
    unchanged::judge(walk, step, before, &mut checks).await?;
    walk.record.checks.extend(checks);
    Ok(())
}

/// Statuses by which a target refuses a value.
const VALUE_REFUSED: [u16; 4] = [400, 403, 409, 422];

/// Stops where a step that expects success was refused, and sent a default that a target may refuse for
/// reasons of its own: an address where nothing answers.
fn refused_default(
    walk: &ScenarioWalk<'_>,
    step: &RequestStep,
    document: &Document,
    exchange: &Exchange,
) -> Result<(), Stop> {
    let Some(status) = document.status.filter(|status| VALUE_REFUSED.contains(status)) else {
        return Ok(());
    };
    let default = exchange.request.operation.and_then(|it| walk.session.default_value(it));
    let Some(default) = default.filter(|it| exchange.request.body_shown.contains(it.text)) else {
        return Ok(());
    };
    let mut expectations =
        step.require.iter().chain(step.expect.iter().map(|check| &check.expectation));
    if !expectations.any(|expectation| check::expectation::asks_success(expectation, &walk.names)) {
        return Ok(());
    }
    let reason = format!("the target refuses {} with {status}", default.name);
    let setting = Some(default.setting.to_owned());
    Err(Stop::NotRun(NotRun { setting, ..NotRun::new(NotRunKind::NeedNotMet, reason) }))
}

/// The sound call must succeed, else the negative check says nothing.
async fn control_holds(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    control: &ControlRequest,
) -> Result<(), Stop> {
    let shape = shape::merged(&step.shape, &control.shape);
    let prepared = prepare::prepare(walk.session, &walk.names, &shape, &walk.name).await?;
    // On a deployment a control that creates is sent once a run and application. So is one that asks
    // for a token, by its fields: few are allowed in a minute.
    let fields = match prepared.operation {
        _ if walk.shared.target.is_mock() => None,
        Some(
            Operation::CreateLegalRequest
            | Operation::CreateRepositoryDocument
            | Operation::CreateWebhook,
        ) => Some(String::new()),
        Some(Operation::CreateAccessToken) => Some(form_fields(&prepared.body.shown())),
        _ => None,
    };
    let key = fields.map(|fields| {
        format!("{} {} {} {fields}", prepared.application, prepared.method, prepared.path)
    });
    if let Some(known) = key.as_ref().and_then(|key| walk.shared.controls.lock().get(key).cloned())
    {
        return known;
    }
    let outcome = match sent(walk, &shape).await {
        Ok((document, _)) => control_judged(walk, control, &document),
        Err(stop) => Err(stop),
    };
    if let Some(key) = key {
        walk.shared.controls.lock().insert(key, outcome.clone());
    }
    outcome
}

/// The fields of a form in one order: the same call, however it is written.
fn form_fields(form: &str) -> String {
    let mut fields: Vec<&str> = form.split('&').collect();
    fields.sort_unstable();
    fields.join("&")
}

fn control_judged(
    walk: &ScenarioWalk<'_>,
    control: &ControlRequest,
    document: &Document,
) -> Result<(), Stop> {
    match &control.require {
        Some(require) => holds(walk, require, document, NotRunKind::Control),
        None => match document.status {
            Some(200..=299) => Ok(()),
            status => Err(Stop::not_run(
                NotRunKind::Control,
                format!(
                    "{CONTROL} (status {})",
                    status.map_or_else(|| "unknown".to_owned(), |status| status.to_string())
                ),
            )),
        },
    }
}

/// Repeats until it holds; the last answer is the one judged.
async fn polled(
    walk: &mut ScenarioWalk<'_>,
    step: &RequestStep,
    poll: &Poll,
) -> Result<StepResponse, Stop> {
    let mut waited = Duration::ZERO;
    loop {
        let (document, exchange) = sent(walk, &step.shape).await?;
        let judgement = check::expectation::judge(&poll.until, &document, &walk.names);
        if judgement == Judgement::Holds {
            // What was waited for has changed just now.
            walk.note_change();
            return Ok(StepResponse { document, exchange, doubt: None });
        }
        if waited >= poll.at_most {
            return Err(Stop::not_run(
                NotRunKind::PollTimeout,
                format!("it did not come about within {} s", poll.at_most.as_secs()),
            ));
        }
        wait(walk, poll.every).await?;
        waited += poll.every;
    }
}
