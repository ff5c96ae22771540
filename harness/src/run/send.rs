//! Sends one request of a scenario and judges what holds for every answer.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Operation;
use serde_json::json;

use crate::client::pace::RETRY_AFTER_MAX;
use crate::client::{ClientRequest, consent};
use crate::exchange::{Exchange, ReceivedResponse, Trouble};
use crate::scenario::model::{Expectation, RequestShape};
use crate::verdict::NotRunKind;
use crate::verdict::check::{self, Document, Judgement, Mismatch, implicit};

use super::prepare;
use super::scenario_walk::ScenarioWalk;
use super::stop::Stop;

/// What is said where a precondition does not hold; what came instead follows.
const PRECONDITION: &str = "skipped: an earlier step failed";

/// What is said where a control is refused; what came instead follows.
pub(super) const CONTROL: &str = "skipped: the same call without the flaw was not accepted";

/// A deployment's rate limit met by chance is never a violation: what it answered, and when it may be
/// asked again. 503 is the limit's where it says when (`rate_limit_response`).
fn chance_limit(walk: &ScenarioWalk<'_>, response: &ReceivedResponse) -> Option<String> {
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
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let prepared = prepare::prepare(walk.session, &walk.names, shape, &walk.name).await?;
    sent_as_prepared(walk, prepared).await
}

async fn sent_as_prepared(
    walk: &mut ScenarioWalk<'_>,
    prepared: ClientRequest,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let breaks_off = prepared.body.breaks_off();
    let consents = consent::needed(&prepared, prepared.operation, false);
    let exchange = Arc::new(walk.session.send(prepared).await);
    keep(walk, &exchange);
    note_effect(walk, &exchange);
    if matches!(exchange.outcome, Err(Trouble::Withheld(_)))
        && let Some(unmet) = consents.iter().find_map(|it| walk.shared.target.missing(it.as_str()))
    {
        return Err(Stop::NotRun(unmet));
    }
    let document = answered(walk, &exchange, breaks_off)?;
    Ok((document, exchange))
}

/// The document that an answer is judged as; an answer that cannot be judged stops the walk.
fn answered(
    walk: &ScenarioWalk<'_>,
    exchange: &Exchange,
    breaks_off: bool,
) -> Result<Document, Stop> {
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
            let mut document = Document::from(response);
            document.operation = operation;
            document.request_line =
                Some(format!("{} {}", exchange.request.method, exchange.request.path));
            document.endpoint = endpoint.map(|operation| {
                let (method, path) = walk.session.endpoint(operation);
                json!({ "method": method, "path": path })
            });
            Ok(document)
        }
        Err(trouble) => Err(Stop::not_run(NotRunKind::NoAnswer, trouble.to_string())),
    }
}

/// Sends a token request, unless the answer to the same one of an earlier scenario may stand for it.
pub(super) async fn lent_or_sent(
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let prepared = prepare::prepare(walk.session, &walk.names, shape, &walk.name).await?;
    if let Some(exchange) = walk.session.lent_token(&prepared).await {
        keep(walk, &exchange);
        return Ok((answered(walk, &exchange, false)?, exchange));
    }
    let (document, exchange) = sent_as_prepared(walk, prepared.clone()).await?;
    walk.session.lend_token(&prepared, &exchange).await;
    Ok((document, exchange))
}

/// Notes what a request changed. What was refused, too, may have left something unseen.
fn note_effect(walk: &ScenarioWalk<'_>, exchange: &Exchange) {
    let is_changed = may_have_changed(exchange);
    if is_changed {
        walk.note_change();
    }
    let is_known = is_changed && walk.shared.changes.note_effect(exchange);
    if !is_known && !only_reads(exchange) {
        walk.views().doubt();
    }
}

/// Whether a request is none that changes what lists show.
fn only_reads(exchange: &Exchange) -> bool {
    let is_reading = matches!(exchange.request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let is_about_tokens = matches!(
        exchange.request.operation,
        Some(Operation::CreateAccessToken | Operation::RevokeToken)
    );
    is_reading || is_about_tokens
}

/// Whether a request may have changed what lists show: it was accepted, or nobody knows.
fn may_have_changed(exchange: &Exchange) -> bool {
    let is_refused = match &exchange.outcome {
        Ok(response) => (300..500).contains(&response.status),
        Err(Trouble::Withheld(_)) => true,
        Err(_) => false,
    };
    !only_reads(exchange) && !is_refused
}

/// Whether too little was kept of an answer that is read as JSON.
fn is_too_long(response: &ReceivedResponse, operation: Option<Operation>) -> bool {
    let is_file = operation.is_none_or(|operation| operation == Operation::DownloadAgreement);
    response.is_cut && !is_file
}

/// Adds an exchange to the record of the step, with its implicit checks.
pub(super) fn keep(walk: &mut ScenarioWalk<'_>, exchange: &Arc<Exchange>) {
    let origin = walk.origin();
    let findings = implicit::judge(exchange, &walk.shared.implicit);
    walk.record.checks.extend(findings.into_iter().map(|finding| {
        origin.result(finding.requirement, None, finding.judgement, Some(Arc::clone(exchange)))
    }));
    walk.record.exchanges.push(Arc::clone(exchange));
}

/// Stops the walk where an expectation without a requirement does not hold.
pub(super) fn holds(
    walk: &ScenarioWalk<'_>,
    expectation: &Expectation,
    document: &Document,
    kind: NotRunKind,
) -> Result<(), Stop> {
    let what = if kind == NotRunKind::Control { CONTROL } else { PRECONDITION };
    match check::expectation::judge(expectation, document, &walk.names) {
        Judgement::Holds => Ok(()),
        Judgement::Fails(Mismatch { message, .. }) => Err(Stop::not_run(
            kind,
            format!("{what} ({})", walk.shared.options.masks.mask(&message)),
        )),
        Judgement::Empty { reason } => Err(Stop::not_run(kind, format!("{what} ({reason})"))),
    }
}

/// On a sandbox attempts in flight are waited for so often, each time until none ended for ten seconds:
/// a receiver of ours answers at once, so it is a busy machine that holds them up.
const SETTLES_MAX: usize = 1;

/// Lets time pass: on a sandbox its clock is moved and what it made due is waited for, elsewhere real
/// time is.
pub(super) async fn wait(walk: &ScenarioWalk<'_>, duration: Duration) -> Result<(), Stop> {
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
