//! One request of a scenario: fills in names and token, sends it, and judges the response by the implicit checks.

use std::sync::Arc;

use moot_fixtures::contract::Operation;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::json;

use crate::client::pace::RETRY_AFTER_MAX;
use crate::client::{ClientBody, ClientRequest, UselessToken, consent};
use crate::exchange::{Exchange, ReceivedResponse, Trouble};
use crate::run::environment::Session;
use crate::scenario::ScenarioName;
use crate::scenario::model::{RequestLine, RequestShape, TokenChoice};
use crate::scenario::names::Names;
use crate::verdict::NotRunKind;
use crate::verdict::check::Document;

use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{judge, request_body};

/// Sends a request once. A response that cannot be judged stops the scenario, after the implicit checks.
pub(super) async fn send(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let prepared = prepare(run, shape).await?;
    send_prepared(run, prepared).await
}

/// Sends a token request, or reuses the exchange of the same request in an earlier scenario.
pub(super) async fn send_or_reuse(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let prepared = prepare(run, shape).await?;
    if let Some(exchange) = run.session.lent_token(&prepared).await {
        judge::record(run, &exchange);
        return Ok((document(run, &exchange, false)?, exchange));
    }
    let (document, exchange) = send_prepared(run, prepared.clone()).await?;
    run.session.lend_token(&prepared, &exchange).await;
    Ok((document, exchange))
}

async fn send_prepared(
    run: &mut ScenarioRun<'_>,
    prepared: ClientRequest,
) -> Result<(Document, Arc<Exchange>), Stop> {
    let breaks_off = prepared.body.breaks_off();
    let consents = consent::needed(&prepared, prepared.operation, false);
    let exchange = Arc::new(run.session.send(prepared).await);
    judge::record(run, &exchange);
    note_effect(run, &exchange);
    if matches!(exchange.outcome, Err(Trouble::Withheld(_)))
        && let Some(unmet) = consents.iter().find_map(|it| run.shared.target.missing(it.as_str()))
    {
        return Err(Stop::NotRun(unmet));
    }
    Ok((document(run, &exchange, breaks_off)?, exchange))
}

/// Characters that are encoded in a path. `%` is not among them, so that a scenario can send any bytes.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'#');

/// The request of this shape, with the present values of its names.
pub(super) async fn prepare(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<ClientRequest, Stop> {
    let (session, names) = (run.session, &run.names);
    let line = shape.line.as_ref().ok_or_else(|| Stop::ours("a request without a line"))?;
    let (method, mut path, operation) = resolve_line(session, names, line)?;
    let query = request_body::pairs(names, &shape.query)?;
    if !query.is_empty() {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str(
            &form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish(),
        );
    }
    let application = match &shape.application {
        Some(text) => text.render_text(names)?,
        None => "main".to_owned(),
    };
    let mut headers = request_body::pairs(names, &shape.headers)?;
    if let Some(token) = token(session, names, shape.token.as_ref(), &application).await? {
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
    }
    let body = match &shape.body {
        Some(body) => request_body::prepare(session, names, body)?,
        None => ClientBody::Empty,
    };
    let tag_scenario = ScenarioName::clone(&run.name);
    Ok(ClientRequest { method, path, operation, headers, body, application, tag_scenario })
}

async fn token(
    session: &Session,
    names: &Names,
    choice: Option<&TokenChoice>,
    application: &str,
) -> Result<Option<String>, Stop> {
    Ok(match choice {
        None | Some(TokenChoice::None) => None,
        Some(TokenChoice::Shared(scopes)) => Some(session.token(application, *scopes).await?),
        Some(TokenChoice::Expired) => {
            Some(session.useless_token(UselessToken::Expired, application).await?)
        }
        Some(TokenChoice::Revoked) => {
            Some(session.useless_token(UselessToken::Revoked, application).await?)
        }
        Some(TokenChoice::Given(text)) => Some(text.render_text(names)?),
    })
}

/// The method, the path below the base address, and the operation of a request line.
pub(super) fn resolve_line(
    session: &Session,
    names: &Names,
    line: &RequestLine,
) -> Result<(String, String, Option<Operation>), Stop> {
    match line {
        RequestLine::Path { method, path } => {
            let path = path.render_text(names)?;
            let path = utf8_percent_encode(&path, PATH).to_string();
            let method = method.render_text(names)?;
            let operation = session.operation(&method, &path);
            Ok((method, path, operation))
        }
        RequestLine::Operation { operation, known, id } => {
            let operation = match known {
                Some(known) => *known,
                None => {
                    let name = operation.render_text(names)?;
                    Operation::from_text(&name)
                        .ok_or_else(|| Stop::ours(&format!("`{name}` is not an operation")))?
                }
            };
            let (method, template) = session.endpoint(operation);
            let id = match id {
                Some(id) => id.render_text(names)?,
                None => String::new(),
            };
            let id = utf8_percent_encode(&id, PATH).to_string();
            Ok((method.to_owned(), template.replace("{id}", &id), Some(operation)))
        }
    }
}

/// The document of a response. A response that cannot be judged stops the scenario.
fn document(
    run: &ScenarioRun<'_>,
    exchange: &Exchange,
    breaks_off: bool,
) -> Result<Document, Stop> {
    let operation = exchange.request.operation;
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
        Ok(response) if let Some(why) = chance_limit(run, response) => {
            Err(Stop::not_run(NotRunKind::RateLimited, why))
        }
        Ok(response) => {
            let mut document = Document::from(response);
            document.operation = operation;
            document.request_line =
                Some(format!("{} {}", exchange.request.method, exchange.request.path));
            let succeeded = operation.filter(|_| matches!(response.status, 200..=299));
            document.endpoint = succeeded.map(|operation| {
                let (method, path) = run.session.endpoint(operation);
                json!({ "method": method, "path": path })
            });
            Ok(document)
        }
    }
}

/// Whether a response that is read as JSON was cut.
fn is_too_long(response: &ReceivedResponse, operation: Option<Operation>) -> bool {
    let is_file = operation.is_none_or(|operation| operation == Operation::DownloadAgreement);
    response.is_cut && !is_file
}

/// The reason if the rate limit of a deployment was met by chance, which is never a violation. A 503 counts if it
/// has `Retry-After` (`rate_limit_response`).
fn chance_limit(run: &ScenarioRun<'_>, response: &ReceivedResponse) -> Option<String> {
    let wait = response.header("retry-after");
    let is_limit = response.status == 429 || response.status == 503 && wait.is_some();
    (is_limit && !run.shared.target.is_mock()).then(|| {
        let asks = match wait {
            Some(wait) => format!("with `Retry-After: {wait}`"),
            None => "without `Retry-After`".to_owned(),
        };
        let most = RETRY_AFTER_MAX.as_secs();
        format!(
            "the target's rate limit returned {} {asks}. A request is repeated once, and only if `Retry-After` is at \
             most {most} s; a lower --rate avoids the limit",
            response.status
        )
    })
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
        run.views().doubt();
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
