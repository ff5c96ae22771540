//! Helpers for tests of checks: expectations as in scenario files, and exchanges.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use moot_fixtures::contract::Operation;
use moot_harness::exchange::masks::Masks;
use moot_harness::exchange::{Exchange, ReceivedResponse, SentRequest};
use moot_harness::scenario::model::{Claim, StepAction};
use moot_harness::scenario::{diagnostic, load};
use moot_harness::verdict::check::implicit::{self, ImplicitContext};
use moot_harness::verdict::check::{Document, Judgement, Mismatch};
use serde_json::Value;

/// The expectation `{place: matcher}`, read from a scenario file. It may use the name `<known>`.
#[track_caller]
pub(crate) fn expectation(claims: &str) -> Vec<Claim> {
    let text = format!(
        "section: \"1\"\ntitle: t\nscenarios:\n  - id: s\n    title: t\n    for_each: {{ known: [1] }}\n    \
         steps:\n      - request: GET /v1/workflows\n        require: {{ {claims} }}\n"
    );
    let suite = load::suite(vec![("row.yaml".to_owned(), Arc::from(text))]);
    let files =
        suite.unwrap_or_else(|problems| panic!("{}", diagnostic::render(&problems[0], false)));
    match &files[0].scenarios[0].steps[0].action {
        StepAction::Request(request) => {
            request.require.clone().expect("the row was written as one")
        }
        _ => panic!("the step sends a request"),
    }
}

/// A response with a JSON body.
pub(crate) fn document(status: u16, media_type: &str, body: &Value) -> Document {
    Document {
        about: None,
        request_line: None,
        status: Some(status),
        headers: vec![("content-type".to_owned(), media_type.to_owned())],
        body: Bytes::from(body.to_string()),
        digest: None,
        json: Some(Arc::new(body.clone())),
        operation: None,
        endpoint: None,
        exchange: None,
    }
}

/// The parts of an exchange that implicit checks use.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) number: u64,
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) operation: Option<Operation>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: String,
}

/// The base address of all exchanges.
pub(crate) const BASE: &str = "https://legal.example/api";

impl Seen {
    /// A response with the headers that every correct response has.
    pub(crate) fn new(operation: Operation, path: &'static str, status: u16, body: &Value) -> Self {
        let media_type = if status < 400 { "application/json" } else { "application/problem+json" };
        Self {
            number: 1,
            method: "GET",
            path,
            operation: Some(operation),
            status,
            headers: vec![("content-type", media_type), ("date", "Thu, 05 Mar 2026 14:30:00 GMT")],
            body: body.to_string(),
        }
    }

    /// The same with another value of a header. An empty value removes the header.
    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        if !value.is_empty() {
            self.headers.push((name, value));
        }
        self
    }

    pub(crate) fn exchange(&self) -> Exchange {
        let headers = self.headers.iter();
        Exchange {
            number: self.number,
            request: SentRequest {
                method: self.method.to_owned(),
                url: format!("{BASE}{}", self.path),
                path: self.path.to_owned(),
                operation: self.operation,
                headers: Vec::new(),
                body_shown: String::new(),
                body_length: 0,
                curl: String::new(),
            },
            outcome: Ok(ReceivedResponse {
                status: self.status,
                headers: headers.map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
                body: Bytes::from(self.body.clone()),
                json: serde_json::from_str(&self.body).ok().map(Arc::new),
                is_cut: false,
                digest: None,
                peer: None,
            }),
            sent_at_seconds: 0,
            duration: Duration::ZERO,
            masks: Arc::new(Masks::default()),
        }
    }
}

/// The findings of the implicit checks about one exchange.
pub(crate) fn findings(seen: &Seen) -> Vec<(&'static str, Judgement)> {
    implicit::judge(&seen.exchange(), &ImplicitContext::new("/api", false))
}

/// Asserts that exactly these requirements fail. A `~` in front means at most a warning.
#[track_caller]
pub(crate) fn check(seen: &Seen, expected: &[&str]) {
    let failed: Vec<String> = findings(seen)
        .into_iter()
        .filter_map(|(requirement, judgement)| match judgement {
            Judgement::Fails(Mismatch { is_tolerable, .. }) => {
                Some(format!("{}{}", if is_tolerable { "~" } else { "" }, requirement))
            }
            Judgement::Holds | Judgement::NotApplicable { .. } => None,
        })
        .collect();
    assert_eq!(failed, expected);
}
