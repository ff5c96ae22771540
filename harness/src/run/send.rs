//! Sends one request of a scenario, and returns the document of its response.

use std::sync::Arc;

use moot_fixtures::contract::{Endpoint, Operation};
use serde_json::{Value, json};

use crate::client::pace::RETRY_AFTER_MAX;
use crate::client::{ClientRequest, consent};
use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};
use crate::scenario::model::RequestShape;
use crate::verdict::NotRunKind;
use crate::verdict::check::Document;

use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{endpoint, judge, prepare};

/// Sends a request once. A response that cannot be judged stops the scenario, after the implicit checks.
pub(super) async fn send(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<Document, Stop> {
    let prepared = prepare::request(run, shape).await?;
    send_prepared(run, prepared, only_reads).await
}

/// As [`send`], for a request that must be refused. A service that refuses it does nothing, so it is sent once more
/// after an error of a gateway, as one that only reads.
pub(super) async fn send_to_be_refused(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<Document, Stop> {
    let prepared = prepare::request(run, shape).await?;
    send_prepared(run, prepared, |_| true).await
}

/// Sends a token request, or reuses the exchange of the same request in an earlier scenario.
pub(super) async fn send_or_reuse(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<Document, Stop> {
    let prepared = prepare::request(run, shape).await?;
    if let Some(exchange) = run.session.cached_token_response(&prepared).await {
        run.has_earlier_token = true;
        judge::record(run, &exchange);
        return document(run, &exchange, prepared.body.breaks_off());
    }
    let document = send_prepared(run, prepared.clone(), only_reads).await?;
    if let Some(exchange) = &document.exchange {
        run.session.keep_token_response(&prepared, exchange).await;
    }
    Ok(document)
}

/// Sends a request, and once more after an error of a gateway if `may_repeat` says that it had no effect.
async fn send_prepared(
    run: &mut ScenarioRun<'_>,
    prepared: ClientRequest,
    may_repeat: fn(&Exchange) -> bool,
) -> Result<Document, Stop> {
    let breaks_off = prepared.body.breaks_off();
    let consents = consent::needed(&prepared, prepared.operation, false);
    let mut exchange = Arc::new(run.session.send(prepared.clone()).await);
    note_effect(run, &exchange);
    note_long_list(run, &exchange);
    if let Some(status) = unavailable(run, &exchange) {
        let may_repeat = may_repeat(&exchange);
        if !may_repeat || !answers(run).await {
            judge::record(run, &exchange);
            return Err(Stop::not_run(NotRunKind::NoAnswer, no_answer(status, may_repeat)));
        }
        // The service answers others: if the next response is the same, this request is the reason.
        run.record.exchanges.push(exchange);
        exchange = Arc::new(run.session.send(prepared.clone()).await);
        note_effect(run, &exchange);
    }
    let is_broken = !breaks_off && broken(run, &exchange).is_some();
    if is_broken && may_repeat(&exchange) && answers(run).await {
        run.record.exchanges.push(exchange);
        exchange = Arc::new(run.session.send(prepared.clone()).await);
        note_effect(run, &exchange);
        if let Some(trouble) = broken(run, &exchange) {
            let reason = broken_again(&exchange.request, trouble);
            judge::record(run, &exchange);
            return Err(Stop::not_run(NotRunKind::NoAnswer, reason));
        }
    }
    if breaks_off && is_refused_by_server(&exchange) {
        run.record.exchanges.push(exchange);
        return Err(Stop::NotApplicable(
            "the HTTP server refuses a request that breaks off before the service sees it"
                .to_owned(),
        ));
    }
    if exchange.request.operation == Some(Operation::CreateAccessToken) {
        run.session.share_granted_token(&prepared, &exchange).await;
    }
    judge::record(run, &exchange);
    if matches!(exchange.outcome, Err(Trouble::Withheld(_)))
        && let Some(unmet) = consents.iter().find_map(|it| run.shared.target.missing(it.as_str()))
    {
        return Err(Stop::NotRun(unmet));
    }
    document(run, &exchange, breaks_off)
}

/// The status of a response that a gateway in front of a deployment may have sent, because the service does not answer.
/// A 503 with `Retry-After` is of the limit (`rate_limit_response`).
fn unavailable(run: &ScenarioRun<'_>, exchange: &Exchange) -> Option<u16> {
    let response = exchange.outcome.as_ref().ok().filter(|_| !run.shared.target.is_mock())?;
    let is_limit = response.header("retry-after").is_some();
    (response.may_be_of_gateway() || response.status == 503 && !is_limit).then_some(response.status)
}

/// The trouble if a deployment broke the connection, instead of sending a whole HTTP response.
fn broken<'e>(run: &ScenarioRun<'_>, exchange: &'e Exchange) -> Option<&'e Trouble> {
    let trouble = exchange.outcome.as_ref().err()?;
    let is_broken = matches!(trouble, Trouble::Broken(_) | Trouble::CutShort(_));
    (is_broken && !run.shared.target.is_mock()).then_some(trouble)
}

fn broken_again(request: &SentRequest, trouble: &Trouble) -> String {
    let SentRequest { method, path, .. } = request;
    format!(
        "{method} {path} was sent twice, and {trouble}. The target answers other requests, so it may crash on this one: \
         look into its log"
    )
}

/// Whether the service answers another request.
async fn answers(run: &ScenarioRun<'_>) -> bool {
    let request = ClientRequest::of(run.session.endpoints(), Operation::ListWorkflows, "main");
    run.session.send(request).await.outcome.is_ok_and(|response| response.status < 500)
}

fn no_answer(status: u16, may_repeat: bool) -> String {
    let why = if may_repeat {
        "The target did not answer another request either"
    } else {
        "The request may have had an effect, so it is not sent again"
    };
    format!(
        "the response was {status}, which a gateway sends if the service does not answer. {why}"
    )
}

/// Whether an HTTP server may have refused an incomplete request (RFC 9112 §8) with a body of its own. §7 states the
/// form of errors of the API only.
fn is_refused_by_server(exchange: &Exchange) -> bool {
    exchange.outcome.as_ref().is_ok_and(|response| {
        let is_problem = response.json.as_deref().is_some_and(|json| json.get("type").is_some());
        (400..500).contains(&response.status) && !is_problem
    })
}

/// Notes a list that has more pages than are read.
fn note_long_list(run: &ScenarioRun<'_>, exchange: &Exchange) {
    let operation = exchange.request.operation.filter(|it| Operation::LISTS.contains(it));
    let (Some(operation), Ok(response)) = (operation, &exchange.outcome) else { return };
    let pages = || response.json.as_ref()?.pointer("/pagination/total_pages")?.as_u64();
    if let Some(pages) = pages().filter(|pages| *pages > run.session.pages_max) {
        let mut lists = run.shared.long_lists.lock();
        let known = lists.entry(operation).or_default();
        *known = pages.max(*known);
    }
}

/// Notes the effect of a request on lists. A refused request may also have changed something.
fn note_effect(run: &mut ScenarioRun<'_>, exchange: &Exchange) {
    if only_reads(exchange) {
        return;
    }
    let is_refused = match &exchange.outcome {
        Ok(response) => (300..500).contains(&response.status),
        Err(Trouble::Withheld(_)) => true,
        // The target may have carried it out.
        Err(_) => false,
    };
    if !is_refused {
        run.note_change();
    }
    let is_known = !is_refused && run.shared.changes.note_effect(exchange);
    if !is_known {
        run.views().mark_outdated();
    }
}

/// Whether a request cannot change a list.
fn only_reads(exchange: &Exchange) -> bool {
    matches!(exchange.request.method.as_str(), "GET" | "HEAD" | "OPTIONS")
        || matches!(
            exchange.request.operation,
            Some(Operation::CreateAccessToken | Operation::RevokeToken)
        )
}

/// The document of the response. A response that cannot be judged stops the scenario. `breaks_off` says whether the
/// request ends too early on purpose.
fn document(
    run: &ScenarioRun<'_>,
    exchange: &Arc<Exchange>,
    breaks_off: bool,
) -> Result<Document, Stop> {
    let request = &exchange.request;
    let operation = request.operation;
    match &exchange.outcome {
        // The target may close the connection, or wait for the rest.
        Err(Trouble::Broken(_) | Trouble::Timeout(_)) if breaks_off => Err(Stop::NotApplicable(
            "the target does not answer a request that breaks off, and need not".to_owned(),
        )),
        Err(trouble) => Err(Stop::not_run(NotRunKind::NoAnswer, trouble.to_string())),
        Ok(response) if is_too_long(response, operation) => Err(Stop::not_run(
            NotRunKind::UnusableAnswer,
            "the response is too large to be kept whole, so it cannot be judged",
        )),
        Ok(response) if let Some(why) = chance_limit(run, operation, response) => {
            Err(Stop::not_run(NotRunKind::RateLimited, why))
        }
        Ok(response) if let Some(unmet) = endpoint::unknown(run, exchange) => {
            Err(Stop::NotRun(unmet))
        }
        Ok(response) => {
            let succeeded = operation.filter(|_| matches!(response.status, 200..=299));
            let endpoint = succeeded.map(|operation| {
                let Endpoint { method, path } = run.session.endpoints().get(operation);
                json!({ "method": method, "path": path })
            });
            Ok(Document {
                operation,
                request_line: Some(format!("{} {}", request.method, request.path)),
                endpoint,
                exchange: Some(Arc::clone(exchange)),
                json: body(exchange),
                ..Document::from(response)
            })
        }
    }
}

/// The JSON of a response as checks read it.
pub(super) fn body(exchange: &Exchange) -> Option<Arc<Value>> {
    let response = exchange.outcome.as_ref().ok()?;
    let json = response.json.clone()?;
    let is_webhook = exchange.request.operation == Some(Operation::CreateWebhook);
    Some(if is_webhook && response.is_success() { in_data(json) } else { json })
}

/// A registered webhook inside `data`. The response to a registration is open (`webhook_create_endpoint`), so it may be
/// the bare webhook.
fn in_data(webhook: Arc<Value>) -> Arc<Value> {
    let is_bare = webhook.get("data").is_none() && webhook.get("id").is_some();
    if is_bare { Arc::new(json!({ "data": *webhook })) } else { webhook }
}

/// Whether a response that is read as JSON was cut.
fn is_too_long(response: &ReceivedResponse, operation: Option<Operation>) -> bool {
    let is_file = operation.is_none_or(|operation| operation == Operation::DownloadAgreement);
    response.is_cut && !is_file
}

/// The reason if the rate limit of a deployment was met by chance, which is never a violation. A 503 counts if it
/// has `Retry-After` (`rate_limit_response`).
fn chance_limit(
    run: &ScenarioRun<'_>,
    operation: Option<Operation>,
    response: &ReceivedResponse,
) -> Option<String> {
    let (status, wait) = (response.status, response.header("retry-after"));
    let is_limit = status == 429 || status == 503 && wait.is_some();
    if !is_limit || run.shared.target.is_mock() {
        return None;
    }
    if operation == Some(Operation::CreateAccessToken) {
        return Some(format!(
            "the limit of the token endpoint returned {status}; set `limits.token_requests_per_minute` to its limit"
        ));
    }
    let asks = match wait {
        Some(wait) => format!("with `Retry-After: {wait}`"),
        None => "without `Retry-After`".to_owned(),
    };
    let most = RETRY_AFTER_MAX.as_secs();
    Some(format!(
        "the target's rate limit returned {status} {asks}. A request is repeated once, and only if `Retry-After` is at \
         most {most} s; a lower --rate avoids the limit"
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::in_data;

    #[test]
    fn a_bare_webhook_is_read_as_data() {
        for (body, expected) in [
            (json!({ "id": "a" }), json!({ "data": { "id": "a" } })),
            (json!({ "data": { "id": "a" } }), json!({ "data": { "id": "a" } })),
            (json!({}), json!({})),
        ] {
            assert_eq!(*in_data(Arc::new(body)), expected);
        }
    }
}
