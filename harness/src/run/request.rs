//! A request step: control, request, captures, precondition, checks, observations, snapshot.

use std::time::Duration;

use moot_fixtures::contract::{Operation, ProblemType};

use crate::run::environment::discovery::DefaultValue;
use crate::scenario::model::{Poll, Premise, RequestStep};
use crate::verdict::check::{self, Document, Judgement};
use crate::verdict::{NotRun, NotRunKind, Verdict};

use super::pages::{self, ListDoubt};
use super::scenario_run::{FinalSteps, ScenarioRun};
use super::settle::ListLag;
use super::stop::Stop;
use super::{control, judge, send, snapshot, unchanged};

pub(super) async fn run<'a>(
    run: &mut ScenarioRun<'a>,
    step: &'a RequestStep,
    rows: &[String],
) -> Result<(), Stop> {
    if let Some(control) = &step.control {
        control::check(run, step, control).await?;
    }
    let before = unchanged::before(run, &step.unchanged).await?;
    let (document, doubt) = match &step.poll {
        Some(poll) => (read_until(run, step, poll).await?, None),
        None if step.reuse => (send::send_or_reuse(run, &step.shape).await?, None),
        None => read(run, step).await?,
    };
    // These come before the precondition: `finally` steps need the ids of created objects.
    run.capture(&step.capture, &document);
    if !step.finally.is_empty() {
        let (rows, names) = (rows.to_vec(), run.names.clone());
        run.finals.push(FinalSteps { rows, steps: &step.finally, names });
    }
    check_default_value(run, step, &document)?;
    if let Some(require) = &step.require {
        judge::holds(run, require, &document, NotRunKind::Precondition)?;
    }
    let mut checks = judge::checks(run, &step.expect, &document);
    if let Some(doubt) = doubt {
        checks.iter_mut().for_each(|check| pages::apply_doubt(check, doubt));
    }
    if let Some(premise) = &step.premise
        && checks.iter().any(|check| check.verdict == Verdict::Fail)
    {
        check_premise(run, premise).await?;
    }
    checks.extend(judge::observations(run, &step.observe, &document));
    if let Some(rule) = &step.snapshot {
        checks.extend(snapshot::judge(run, rule, &document));
    }
    unchanged::judge(run, step, before, &mut checks).await?;
    run.record.checks.extend(checks);
    Ok(())
}

/// Sends the request. A list may show a change late: it is read again until the step holds, or the settle time is over.
async fn read(
    run: &mut ScenarioRun<'_>,
    step: &RequestStep,
) -> Result<(Document, Option<ListDoubt>), Stop> {
    let mark = run.record.checks.len();
    let mut lag = None;
    loop {
        let (document, doubt) = match &step.each_page {
            Some(each_page) => pages::read_all(run, &step.shape, each_page).await?,
            None if expects_refusal(run, step) => {
                (send::send_to_be_refused(run, &step.shape).await?, None)
            }
            None => (send::send(run, &step.shape).await?, None),
        };
        if !may_lag(&document) {
            return Ok((document, doubt));
        }
        let lag = lag.get_or_insert_with(|| ListLag::new(run, mark));
        if !lag.wait(run, step, &document).await? {
            return Ok((document, doubt));
        }
    }
}

/// Stops the scenario if what the failed checks rely on has changed meanwhile: a service may move a request to another
/// status by itself (§3).
async fn check_premise(run: &mut ScenarioRun<'_>, premise: &Premise) -> Result<(), Stop> {
    let document = send::send(run, &pages::reading(premise.request.clone())).await?;
    match check::expectation::judge(&premise.holds, &document, &run.names) {
        Judgement::Fails(_) => Err(Stop::NotApplicable(
            "the service changed what the check relies on while it was judged".to_owned(),
        )),
        Judgement::Holds | Judgement::NotApplicable { .. } => Ok(()),
    }
}

/// Whether a check of the step states a status that is a refusal.
fn expects_refusal(run: &ScenarioRun<'_>, step: &RequestStep) -> bool {
    step.expect.iter().any(|check| check::expectation::asks_refusal(&check.expectation, &run.names))
}

/// Whether the response is a list, or the activity log.
fn may_lag(document: &Document) -> bool {
    document.operation.is_some_and(|it| it.is_list() || it == Operation::GetLegalRequestActivity)
}

/// Repeats the request until the condition of `poll` holds.
async fn read_until(
    run: &mut ScenarioRun<'_>,
    step: &RequestStep,
    poll: &Poll,
) -> Result<Document, Stop> {
    let mut waited = Duration::ZERO;
    loop {
        let document = send::send(run, &step.shape).await?;
        if check::expectation::judge(&poll.until, &document, &run.names) == Judgement::Holds {
            // The data changed just now, so lists may lag.
            run.note_change();
            return Ok(document);
        }
        if waited >= poll.at_most {
            return Err(Stop::not_run(
                NotRunKind::PollTimeout,
                format!("it did not happen within {} s", poll.at_most.as_secs()),
            ));
        }
        run.wait(poll.every).await?;
        waited += poll.every;
    }
}

/// Statuses with which a target refuses a value.
const VALUE_REFUSED: [u16; 4] = [400, 403, 409, 422];

/// Stops where a step expects success, sent a default value, and was refused. A target may refuse such a value for
/// reasons of its own: nothing answers at the default addresses. If it accepted the value before, that is not the
/// reason.
fn check_default_value(
    run: &ScenarioRun<'_>,
    step: &RequestStep,
    document: &Document,
) -> Result<(), Stop> {
    let (Some(status), Some(operation)) = (document.status, document.operation) else {
        return Ok(());
    };
    let sent = document.exchange.as_ref().map_or("", |exchange| &exchange.request.body_shown);
    let destination = &run.session.client.destination;
    let default = DefaultValue::of(operation, &destination.bindings);
    let default = default.filter(|it| sent.contains(it.text));
    let Some(default) = default.filter(|_| !run.shared.target.is_mock()) else {
        return Ok(());
    };
    let mut accepted = destination.accepted_defaults.lock();
    if (200..300).contains(&status) {
        accepted.insert(default.text.to_owned());
    }
    let text = |name: &str| document.json.as_deref().and_then(|json| json.get(name)?.as_str());
    // §7: this problem is about the token, not about a value.
    let is_of_scope = text("type") == Some(ProblemType::InsufficientScope.as_str());
    if !VALUE_REFUSED.contains(&status) || is_of_scope || accepted.contains(default.text) {
        return Ok(());
    }
    let mut expectations =
        step.require.iter().chain(step.expect.iter().map(|check| &check.expectation));
    if !expectations.any(|expectation| check::expectation::asks_success(expectation, &run.names)) {
        return Ok(());
    }
    let said = text("detail").map_or_else(String::new, |detail| format!(": \"{detail}\""));
    let reason = format!("the target refuses {} with {status}{said}", default.name);
    let setting = Some(default.setting.to_owned());
    Err(Stop::NotRun(NotRun { setting, ..NotRun::new(NotRunKind::NeedNotMet, reason) }))
}
