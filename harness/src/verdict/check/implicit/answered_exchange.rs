//! An exchange with the questions that several implicit checks ask of it.

use bytes::Bytes;
use moot_fixtures::contract::{self, Operation, TokenNeed};
use serde_json::{Map, Value};

use crate::exchange::{Exchange, ReceivedResponse};
use crate::verdict::check::{Document, document};

/// An exchange that has an answer.
pub(super) struct AnsweredExchange<'a> {
    /// All of it.
    pub(super) exchange: &'a Exchange,
    /// The answer.
    pub(super) response: &'a ReceivedResponse,
}

impl<'a> AnsweredExchange<'a> {
    pub(super) fn new(exchange: &'a Exchange, response: &'a ReceivedResponse) -> Self {
        Self { exchange, response }
    }

    pub(super) fn status(&self) -> u16 {
        self.response.status
    }

    pub(super) fn operation(&self) -> Option<Operation> {
        self.exchange.request.operation
    }

    /// The answer as a document, with what was asked.
    pub(super) fn document(&self) -> Document {
        Document {
            request_line: Some(format!("{} {}", self.exchange.request.method, self.path())),
            operation: self.operation(),
            ..Document::from(self.response)
        }
    }

    /// Path below the base address, without query.
    pub(super) fn path(&self) -> &'a str {
        let path = self.exchange.request.path.as_str();
        path.split(['?', '#']).next().unwrap_or(path)
    }

    /// The address above [`Self::path`]; empty where the whole address does not end in that path.
    pub(super) fn base(&self) -> &'a str {
        let url = self.exchange.request.url.as_str();
        let url = url.split(['?', '#']).next().unwrap_or(url);
        url.strip_suffix(self.path()).unwrap_or_default()
    }

    /// Every value of a header, joined by a comma; `name` in lower case.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        document::joined(&self.response.headers, name)
    }

    pub(super) fn media_type(&self) -> Option<String> {
        document::media_type(&self.response.headers)
    }

    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status())
    }

    /// Whether it is a success of the token endpoint.
    pub(super) fn is_new_token(&self) -> bool {
        self.operation() == Some(Operation::CreateAccessToken) && self.is_success()
    }

    /// 429 and 503: what the limiter may answer, with any body (`rate_limit_response`).
    pub(super) fn is_limit(&self) -> bool {
        matches!(self.status(), 429 | 503)
    }

    /// The body, where it came whole and the method lets one come.
    pub(super) fn whole_body(&self) -> Option<&'a Bytes> {
        (!self.response.is_cut && self.exchange.request.method != "HEAD")
            .then_some(&self.response.body)
    }

    /// Whether §7 asks for a problem: a failure of the API that is not the limiter's. The token
    /// endpoint answers in another body, and what is not below `/v1` is not this API's.
    pub(super) fn is_problem_due(&self) -> bool {
        let is_failure = (400..600).contains(&self.status()) && !self.is_limit();
        // A gateway that gives up on the service writes the body itself.
        let is_gateway = matches!(self.status(), 502 | 504);
        let prefix = contract::VERSION_PREFIX;
        let below = self.path().strip_prefix(prefix);
        let is_api = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        is_failure && !is_gateway && is_api && self.whole_body().is_some()
    }

    /// The members of a problem, where one is due and the body is an object.
    pub(super) fn problem(&self) -> Option<&'a Map<String, Value>> {
        if !self.is_problem_due() {
            return None;
        }
        self.response.json.as_deref().and_then(Value::as_object)
    }

    /// Whether the operation takes a bearer token.
    pub(super) fn takes_token(&self) -> bool {
        self.operation().is_some_and(|operation| operation.token() != TokenNeed::None)
    }
}
