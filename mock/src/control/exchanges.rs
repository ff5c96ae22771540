//! The journal: what clients sent, what they were told and why, also as an HTTP archive.

use http::StatusCode;
use serde_json::{Value, json};

use crate::journal::{Exchange, Filter, SentPart};
use crate::response::Stage;
use crate::world::World;

/// The newest exchanges. Shape: `{"exchanges": [{"serial", "at", "client", "method", "path",
/// "query", "operation", "application", "request": {"authorization", "content_type", "length",
/// "parts": [{"name", "file_name", "content_type", "length"}]}, "status", "response":
/// {"content_type", "length", "page", "pages", "retry_after_seconds"}, "problem", "detail", "decision", "passed", "changes", "fault"}]}`;
/// `application` is a client id, `authorization` a fingerprint.
pub(super) fn view(world: &World, filter: &Filter, limit: usize) -> Value {
    let mut exchanges = found(world, filter);
    let skipped = exchanges.len().saturating_sub(limit);
    json!({ "exchanges": exchanges.split_off(skipped) })
}

/// All exchanges as HAR 1.2. What the journal does not keep (most headers, the bytes of bodies) is
/// empty there; bodies of forms are shown by their parts.
pub(super) fn archive(world: &World, filter: &Filter) -> Value {
    let exchanges = found(world, filter);
    let entries: Vec<Value> = exchanges.iter().map(|one| entry(world.base_url(), one)).collect();
    json!({
        "log": {
            "version": "1.2",
            "creator": { "name": "moot", "version": env!("CARGO_PKG_VERSION") },
            "entries": entries,
        },
    })
}

fn found(world: &World, filter: &Filter) -> Vec<Exchange> {
    let mut exchanges = world.journal().all();
    for exchange in &mut exchanges {
        let application = exchange.application_index.and_then(|at| world.seeded().application(at));
        exchange.application = application.map(|application| application.client_id.clone());
    }
    exchanges.retain(|exchange| filter.matches(exchange));
    for exchange in &mut exchanges {
        if exchange.decision == Stage::Existence.as_str() && is_of_others(world, exchange) {
            let detail = exchange.detail.get_or_insert_default();
            detail.push_str(
                " (It is there, but of another company: call with an application of that one.)",
            );
        }
    }
    exchanges
}

/// Whether the path names something that another company has. The client must not be told (§5.6); who
/// reads the journal may be.
fn is_of_others(world: &World, exchange: &Exchange) -> bool {
    let caller = exchange.application_index.and_then(|at| world.seeded().application(at));
    let Some(caller) = caller else { return false };
    let companies = exchange.path.split('/').filter_map(|id| {
        let legal_request = world.legal_request(id).map(|record| record.company);
        let document = || world.document(id).map(|record| record.company);
        let webhook = || world.webhook(id).map(|(_, record)| record.company);
        let workflow = || world.seeded().workflow_of(id).map(|(_, workflow)| workflow.company);
        legal_request.or_else(document).or_else(webhook).or_else(workflow)
    });
    companies.into_iter().any(|company| company != caller.company)
}

fn entry(base_url: &str, exchange: &Exchange) -> Value {
    let Exchange { path, query, status, .. } = exchange;
    let query_text = query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let status_text =
        StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
    let response = &exchange.response;
    json!({
        "startedDateTime": exchange.at,
        "time": 0,
        "request": request(exchange, format!("{base_url}{path}{query_text}")),
        "response": {
            "status": status,
            "statusText": status_text.unwrap_or_default(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers(None, response.content_type.as_deref()),
            "content": {
                "size": response.length,
                "mimeType": response.content_type.as_deref().unwrap_or_default(),
            },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": response.length,
        },
        "cache": {},
        "timings": { "send": 0, "wait": 0, "receive": 0 },
        "comment": comment(exchange),
    })
}

fn request(exchange: &Exchange, url: String) -> Value {
    let sent = &exchange.request;
    let query = exchange.query.as_deref().unwrap_or_default();
    let query: Vec<Value> = form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let mut request = json!({
        "method": exchange.method,
        "url": url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(sent.authorization.as_deref(), sent.content_type.as_deref()),
        "queryString": query,
        "headersSize": -1,
        "bodySize": sent.length,
    });
    if let Some(content_type) = &sent.content_type {
        // `text` and `params` exclude each other.
        request["postData"] = match sent.parts.as_slice() {
            [] => json!({ "mimeType": content_type, "text": "" }),
            parts => {
                let params: Vec<Value> = parts.iter().map(param).collect();
                json!({ "mimeType": content_type, "params": params })
            }
        };
    }
    request
}

fn param(part: &SentPart) -> Value {
    let mut shown = json!({ "name": part.name, "comment": format!("{} bytes", part.length) });
    for (name, text) in [("fileName", &part.file_name), ("contentType", &part.content_type)] {
        if let Some(text) = text {
            shown[name] = text.as_str().into();
        }
    }
    shown
}

fn headers(authorization: Option<&str>, content_type: Option<&str>) -> Vec<Value> {
    [("authorization", authorization), ("content-type", content_type)]
        .into_iter()
        .filter_map(|(name, value)| Some(json!({ "name": name, "value": value? })))
        .collect()
}

/// Why it was refused, or which fault struck it.
fn comment(exchange: &Exchange) -> String {
    let refused = exchange.detail.as_ref().map(|why| format!("{}: {why}", exchange.decision));
    let fault = exchange.fault.as_ref().map(|kind| format!("fault: {kind}"));
    refused.into_iter().chain(fault).collect::<Vec<_>>().join("; ")
}
