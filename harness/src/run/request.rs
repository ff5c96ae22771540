//! One request step: control, request, implicit checks, precondition, captures, checks.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Operation;
use serde_json::{Value, json};

use crate::check::{self, Document, Judgement, Mismatch, implicit};
use crate::client::pace::RETRY_AFTER_MAX;
use crate::exchange::{Exchange, ReceivedResponse, Trouble};
use crate::result::CheckResult;
use crate::scenario::model::{ControlRequest, Expectation, Poll, RequestShape, RequestStep};
use crate::verdict::NotRunKind;

use super::scenario::{Final, Walk};
use super::step::Done;
use super::stop::Stop;
use super::{observe, pages, prepare, shape, snapshot, unchanged};

/// What is said where a precondition does not hold; what came instead follows.
const PRECONDITION: &str = "the precondition does not hold";

/// What is said where a control is refused; what came instead follows.
const CONTROL: &str = "the same call without the flaw was not accepted";

/// What a step gathers while it goes on.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) exchanges: Vec<Arc<Exchange>>,
    pub(super) checks: Vec<CheckResult>,
}

pub(super) async fn walk<'a>(
    walk: &mut Walk<'a>,
    step: &'a RequestStep,
    label: &str,
    suffix: &str,
) -> Done {
    let mut gathered = Gathered::default();
    let stop = walk_parts(walk, step, label, suffix, &mut gathered).await.err();
    Done { exchanges: gathered.exchanges, checks: gathered.checks, stop }
}

async fn walk_parts<'a>(
    walk: &mut Walk<'a>,
    step: &'a RequestStep,
    label: &str,
    suffix: &str,
    gathered: &mut Gathered,
) -> Result<(), Stop> {
    if let Some(control) = &step.control {
        control_holds(walk, step, control, label, gathered).await?;
    }
    let before = unchanged::look(walk, step, label, gathered).await?;
    let (document, exchange) = match (&step.each_page, &step.poll) {
        (Some(each_page), _) => pages::walk(walk, &step.shape, each_page, label, gathered).await?,
        (None, Some(poll)) => polled(walk, step, poll, label, gathered).await?,
        (None, None) => sent(walk, &step.shape, label, gathered).await?,
    };
    // Before the precondition: what always runs may need the names of what was made all the same.
    for (name, place) in &step.capture {
        let value = check::place::value(place, &document, &walk.names);
        walk.names.set(name, value.unwrap_or(Value::Null));
    }
    if !step.finally.is_empty() {
        let (suffix, names) = (suffix.to_owned(), walk.names.clone());
        walk.finals.push(Final { suffix, steps: &step.finally, names });
    }
    if let Some(require) = &step.require {
        holds(walk, require, &document, NotRunKind::Precondition)?;
    }
    let mut checks = judged(walk, step, label, &document, &exchange);
    observe::observe(walk, &step.observe, &document, label, &mut checks, Some(&exchange));
    if let Some(rule) = &step.snapshot {
        checks.extend(snapshot::judge(walk, rule, &document, label, &exchange));
    }
    unchanged::judge(walk, step, before, label, gathered, &mut checks).await?;
    gathered.checks.extend(checks);
    Ok(())
}

fn judged(
    walk: &Walk<'_>,
    step: &RequestStep,
    label: &str,
    document: &Document,
    exchange: &Arc<Exchange>,
) -> Vec<CheckResult> {
    let standing = walk.standing(label);
    let judge = |check| standing.judge(check, document, &walk.names, Some(Arc::clone(exchange)));
    step.expect.iter().map(judge).collect()
}

/// A deployment's rate limit met by chance is never a violation: what it answered, and when it may be
/// asked again. 503 is the limit's where it says when (`rate_limit_response`).
fn chance_limit(walk: &Walk<'_>, response: &ReceivedResponse) -> Option<String> {
    let wait = response.header("retry-after");
    let is_limit = response.status == 429 || response.status == 503 && wait.is_some();
    (is_limit && !walk.shared.target.is_mock()).then(|| {
        let asks = wait.map(|wait| format!(" and `Retry-After: {wait}`")).unwrap_or_default();
        let most = RETRY_AFTER_MAX.as_secs();
        format!(
            "the target's rate limit answered {}{asks}; a GET is repeated once, after at most {most} s",
            response.status
        )
    })
}

/// Sends a request once; trouble stops the walk, after the implicit checks.
pub(super) async fn sent(
    walk: &Walk<'_>,
    shape: &RequestShape,
    label: &str,
    gathered: &mut Gathered,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let prepared = prepare::prepare(walk.session, &walk.names, shape, &walk.name).await?;
    let breaks_off = prepared.body.breaks_off();
    let exchange = Arc::new(walk.session.send(prepared).await);
    gathered.exchanges.push(Arc::clone(&exchange));
    gathered.checks.extend(implied(walk, label, &exchange));
    match &exchange.outcome {
        // Who gets half a request may hang up, or wait for the rest.
        Err(Trouble::Broken(_) | Trouble::Deadline(_)) if breaks_off => Err(Stop::NotApplicable(
            "the target does not answer a request that breaks off, and need not".to_owned(),
        )),
        Ok(response) if is_too_long(response, exchange.request.operation) => Err(Stop::not_run(
            NotRunKind::UnusableAnswer,
            "the answer is longer than what is kept of one, so it cannot be judged",
        )),
        Ok(response) if let Some(why) = chance_limit(walk, response) => {
            Err(Stop::not_run(NotRunKind::RateLimited, why))
        }
        Ok(response) => {
            let operation = exchange.request.operation;
            let endpoint = operation.filter(|_| matches!(response.status, 200..=299));
            let mut document = document_of(response, operation);
            document.endpoint = endpoint.map(|operation| {
                let (method, path) = walk.session.endpoint(operation);
                json!({ "method": method, "path": path })
            });
            Ok((document, exchange))
        }
        Err(trouble) => Err(Stop::not_run(NotRunKind::NoAnswer, trouble.to_string())),
    }
}

/// Whether too little was kept of an answer that is read as JSON.
fn is_too_long(response: &ReceivedResponse, operation: Option<Operation>) -> bool {
    let is_file = operation.is_none_or(|operation| operation == Operation::DownloadAgreement);
    response.is_cut && !is_file
}

pub(super) fn document_of(response: &ReceivedResponse, operation: Option<Operation>) -> Document {
    let mut document = Document::from(response);
    document.operation = operation;
    document
}

/// The implicit checks on one exchange.
pub(super) fn implied(walk: &Walk<'_>, label: &str, exchange: &Arc<Exchange>) -> Vec<CheckResult> {
    let standing = walk.standing(label);
    implicit::judge(exchange, &walk.shared.implicit)
        .into_iter()
        .map(|finding| {
            standing.result(
                finding.requirement,
                None,
                finding.judgement,
                Some(Arc::clone(exchange)),
            )
        })
        .collect()
}

/// Stops the walk where an expectation without a requirement does not hold.
pub(super) fn holds(
    walk: &Walk<'_>,
    expectation: &Expectation,
    document: &Document,
    kind: NotRunKind,
) -> Result<(), Stop> {
    let what = if kind == NotRunKind::Control { CONTROL } else { PRECONDITION };
    match check::expectation::judge(expectation, document, &walk.names) {
        Judgement::Holds => Ok(()),
        Judgement::Fails(Mismatch { message, expected, actual, .. }) => Err(Stop::not_run(
            kind,
            format!(
                "{what}: {message} (expected {expected}, got {})",
                walk.shared.masks.mask(&actual)
            ),
        )),
        Judgement::Empty { reason } => Err(Stop::not_run(kind, format!("{what}: {reason}"))),
    }
}

/// The sound call must succeed, else the negative check says nothing.
async fn control_holds(
    walk: &Walk<'_>,
    step: &RequestStep,
    control: &ControlRequest,
    label: &str,
    gathered: &mut Gathered,
) -> Result<(), Stop> {
    let shape = shape::merged(&step.shape, &control.shape);
    let prepared = prepare::prepare(walk.session, &walk.names, &shape, &walk.name).await?;
    let creates = matches!(
        prepared.operation,
        Some(
            Operation::CreateLegalRequest
                | Operation::CreateRepositoryDocument
                | Operation::CreateWebhook
        )
    );
    // On a deployment a control that creates is sent once a run and application.
    let key = (creates && !walk.shared.target.is_mock())
        .then(|| format!("{} {} {}", prepared.application, prepared.method, prepared.path));
    if let Some(known) = key.as_ref().and_then(|key| walk.shared.controls.lock().get(key).cloned())
    {
        return known;
    }
    let outcome = match sent(walk, &shape, label, gathered).await {
        Ok((document, _)) => control_judged(walk, control, &document),
        Err(stop) => Err(stop),
    };
    if let Some(key) = key {
        walk.shared.controls.lock().insert(key, outcome.clone());
    }
    outcome
}

fn control_judged(
    walk: &Walk<'_>,
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
                    "{CONTROL}: status {}",
                    status.map_or_else(|| "unknown".to_owned(), |status| status.to_string())
                ),
            )),
        },
    }
}

/// Repeats until it holds; the last answer is the one judged.
async fn polled(
    walk: &Walk<'_>,
    step: &RequestStep,
    poll: &Poll,
    label: &str,
    gathered: &mut Gathered,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let mut waited = Duration::ZERO;
    loop {
        let (document, exchange) = sent(walk, &step.shape, label, gathered).await?;
        let judgement = check::expectation::judge(&poll.until, &document, &walk.names);
        if judgement == Judgement::Holds {
            return Ok((document, exchange));
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

/// On a sandbox attempts in flight are waited for so often, each time until none ended for two seconds:
/// a receiver of ours answers at once, so it is a busy machine that holds them up.
const SETTLES_MAX: usize = 5;

/// Lets time pass: on a sandbox its clock is moved and what it made due is waited for, elsewhere real
/// time is.
pub(super) async fn wait(walk: &Walk<'_>, duration: Duration) -> Result<(), Stop> {
    if walk.session.has_admin() {
        let seconds = duration.as_secs().max(1);
        let moved = json!({ "advance_seconds": seconds });
        let mut settled = walk.session.admin("POST", "/clock", Some(moved)).await?;
        for _ in 0..SETTLES_MAX {
            if settled["in_flight"].as_u64().unwrap_or(0) == 0 {
                break;
            }
            settled = walk.session.admin("POST", "/deliveries/settle", Some(json!({}))).await?;
        }
    } else if !walk.session.is_recorded() {
        tokio::select! {
            () = tokio::time::sleep(duration) => {}
            () = walk.shared.interruption.told(), if !walk.is_final => {}
        }
    }
    walk.interrupted()
}
