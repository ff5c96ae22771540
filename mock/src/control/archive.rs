//! The journal as an HTTP archive (HAR 1.2).

use std::time::Duration;

use http::StatusCode;
use moot_fixtures::journal::{SentPart, fault_text};
use serde_json::{Value, json};

use super::exchanges::{matching, with_advice};
use super::filter::ExchangeFilter;
use crate::world::World;
use crate::world::journal::{JournalEntry, Timing};

/// All journal entries as HAR 1.2.
///
/// It has the bodies of the journal: the beginning of a request's text, the parts of a form, the whole
/// response, but no files. Secrets are fingerprints. `send` is the time for reading the body, by the clock
/// of the world. `wait` and `receive` are the delays of a fault. So with a frozen clock the same calls
/// give the same archive. Most headers are not in the journal and therefore missing.
pub(super) fn archive(world: &World, filter: &ExchangeFilter) -> Value {
    let exchanges =
        matching(world, filter).into_iter().map(|exchange| with_advice(world, exchange));
    let entries: Vec<Value> = exchanges.map(|one| entry(world.base_url(), &one)).collect();
    json!({
        "log": {
            "version": "1.2",
            "creator": { "name": "moot", "version": env!("CARGO_PKG_VERSION") },
            "entries": entries,
        },
    })
}

fn entry(base_url: &str, exchange: &JournalEntry) -> Value {
    let JournalEntry { path, query, status, .. } = exchange;
    let query_text = query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let status_text =
        StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
    let response = &exchange.response;
    let [send, wait, receive] = milliseconds(exchange.timing);
    let retry_after = response.retry_after_seconds.map(|seconds| seconds.to_string());
    let mut content = json!({
        "size": response.length,
        "mimeType": response.content_type.as_deref().unwrap_or_default(),
    });
    if let Some(text) =
        std::str::from_utf8(&exchange.response_body).ok().filter(|text| !text.is_empty())
    {
        content["text"] = text.into();
    } else if response.length > 0 {
        content["comment"] = "not kept".into();
    }
    json!({
        "startedDateTime": exchange.at,
        "time": send + wait + receive,
        "request": request(exchange, format!("{base_url}{path}{query_text}")),
        "response": {
            "status": status,
            "statusText": status_text.unwrap_or_default(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers([
                ("content-type", response.content_type.as_deref()),
                ("retry-after", retry_after.as_deref()),
            ]),
            "content": content,
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": response.length,
        },
        "cache": {},
        "timings": { "send": send, "wait": wait, "receive": receive },
        "comment": comment(exchange),
    })
}

fn request(exchange: &JournalEntry, url: String) -> Value {
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
        "headers": headers([
            ("authorization", sent.authorization.as_deref()),
            ("content-type", sent.content_type.as_deref()),
        ]),
        "queryString": query,
        "headersSize": -1,
        "bodySize": sent.length,
    });
    if let Some(content_type) = &sent.content_type {
        // `text` and `params` exclude each other.
        request["postData"] = match sent.parts.as_slice() {
            [] => {
                let text = sent.text.as_deref().unwrap_or_default();
                json!({ "mimeType": content_type, "text": text })
            }
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
    let rest =
        [("value", &part.text), ("fileName", &part.file_name), ("contentType", &part.content_type)];
    for (name, text) in rest {
        if let Some(text) = text {
            shown[name] = text.as_str().into();
        }
    }
    shown
}

fn headers<const N: usize>(known: [(&str, Option<&str>); N]) -> Vec<Value> {
    known
        .into_iter()
        .filter_map(|(name, value)| Some(json!({ "name": name, "value": value? })))
        .collect()
}

/// The times for sending, waiting and receiving, as the client sees them.
fn milliseconds(timing: Timing) -> [f64; 3] {
    let Timing { reading_microseconds, delay_milliseconds, slowness_milliseconds } = timing;
    let reading = Duration::from_micros(reading_microseconds);
    let [delay, slowness] = [delay_milliseconds, slowness_milliseconds].map(Duration::from_millis);
    [reading, delay, slowness].map(|took| took.as_secs_f64() * 1_000.0)
}

/// Why the call was refused, or the fault that affected it.
fn comment(exchange: &JournalEntry) -> String {
    let refused = exchange.detail.as_ref().map(|why| format!("{}: {why}", exchange.decision()));
    let fault =
        (!exchange.faults.is_empty()).then(|| format!("fault: {}", fault_text(&exchange.faults)));
    refused.into_iter().chain(fault).collect::<Vec<_>>().join("; ")
}
