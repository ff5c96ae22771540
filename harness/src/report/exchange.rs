//! The exchanges of a report. Bodies are cut.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::exchange::{Exchange, escape};
use crate::verdict::result::{RunResult, ScenarioResult, TextMap};

/// The most characters of a body with a finding, and of any other body.
const BODY_CHARACTERS_MAX: usize = 8_000;
const PASSED_BODY_CHARACTERS_MAX: usize = 1_000;

/// One exchange, masked and cut.
#[derive(Debug, Clone, Serialize)]
pub struct ExchangeRow {
    /// Number within the run.
    pub number: u64,
    /// The HTTP method, upper case.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Name and value.
    pub request_headers: Vec<(String, String)>,
    /// The body, cut.
    pub request_body: String,
    /// HTTP status; null if there is no response.
    pub status: Option<u16>,
    /// The reason why there is no response.
    pub trouble: Option<String>,
    /// Name and value.
    pub response_headers: Vec<(String, String)>,
    /// The body, cut. JSON is indented.
    pub response_body: String,
    /// Milliseconds from sending to the last byte.
    pub duration_ms: f64,
    /// A command line that sends the same request. Secrets are shell variables.
    pub curl: String,
}

impl ExchangeRow {
    /// The status of the response, or the reason why there is none.
    pub(super) fn response(&self) -> String {
        let status = self.status.map(|status| status.to_string());
        status.or_else(|| self.trouble.clone()).unwrap_or_else(|| "no response".to_owned())
    }

    /// The request and its response as lines of text.
    pub(super) fn text(&self) -> String {
        let mut out = format!("{} {}", self.method, self.url);
        let mut part = |headers: &[(String, String)], body: &str| {
            for (name, value) in headers {
                out.push_str(&format!("\n{name}: {value}"));
            }
            if !body.is_empty() {
                out.push_str(&format!("\n\n{}", body.trim_end()));
            }
        };
        part(&self.request_headers, &self.request_body);
        match (self.status, &self.trouble) {
            (Some(status), _) => {
                part(&[], &format!("response: {status}"));
                part(&self.response_headers, &self.response_body);
            }
            (None, trouble) => {
                part(&[], &format!("no response: {}", trouble.as_deref().unwrap_or("unknown")));
            }
        }
        out
    }
}

/// The exchanges of checks with `warn` or worse, and those that led to findings, sorted by number.
pub(super) fn exchanges(
    result: &RunResult,
    map: &impl TextMap,
    of_findings: &BTreeSet<u64>,
) -> Vec<ExchangeRow> {
    let mut rows: BTreeMap<u64, (&Arc<Exchange>, usize)> = BTreeMap::new();
    let is_shown = |it: &&Arc<Exchange>| of_findings.contains(&it.number);
    let sent = result.scenarios.iter().flat_map(ScenarioResult::exchanges);
    let judged = result.checks().filter_map(|check| check.exchange.as_ref());
    let some = sent.chain(judged).filter(is_shown);
    rows.extend(some.map(|it| (it.number, (it, PASSED_BODY_CHARACTERS_MAX))));
    let remarkable = result.checks().filter(|check| check.is_remarkable());
    let remarkable = remarkable.filter_map(|check| check.exchange.as_ref());
    rows.extend(remarkable.map(|it| (it.number, (it, BODY_CHARACTERS_MAX))));
    rows.values().map(|(exchange, body_max)| row(exchange, map, *body_max)).collect()
}

fn row(exchange: &Exchange, map: &impl TextMap, body_max: usize) -> ExchangeRow {
    let request = &exchange.request;
    let headers = |headers: &[(String, String)]| {
        headers.iter().map(|(name, value)| (map.line(name), map.line(value))).collect()
    };
    let (status, trouble, response_headers, response_body) = match &exchange.outcome {
        Ok(response) => {
            let body = match &response.json {
                Some(json) => format!("{json:#}"),
                None => String::from_utf8_lossy(&response.body).into_owned(),
            };
            let mut body = escape::cut(&map.block(&body), body_max);
            if response.is_cut {
                body.push_str("\n(the rest of the body was not kept)");
            }
            (Some(response.status), None, headers(&response.headers), body)
        }
        Err(trouble) => (None, Some(map.line(&trouble.to_string())), Vec::new(), String::new()),
    };
    ExchangeRow {
        number: exchange.number,
        method: request.method.clone(),
        url: map.line(&request.url),
        request_headers: headers(&request.headers),
        request_body: escape::cut(&map.block(&request.body_shown), body_max),
        status,
        trouble,
        response_headers,
        response_body,
        duration_ms: (exchange.duration.as_secs_f64() * 10_000.0).round() / 10.0,
        curl: map.block(&request.curl),
    }
}
