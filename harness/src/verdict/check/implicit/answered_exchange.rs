//! An exchange that has a response, with functions that several implicit checks use.

use std::borrow::Cow;

use bytes::Bytes;
use moot_fixtures::contract::{self, Operation, TokenNeed};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::context::ImplicitContext;
use crate::exchange::{Exchange, ReceivedResponse};
use crate::verdict::check::{Document, document};

/// The media type of problems (RFC 9457 §3).
pub(super) const PROBLEM: &str = "application/problem+json";

/// An exchange that has a response.
pub(super) struct AnsweredExchange<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) response: &'a ReceivedResponse,
    pub(super) context: &'a ImplicitContext,
}

impl<'a> AnsweredExchange<'a> {
    pub(super) fn status(&self) -> u16 {
        self.response.status
    }

    pub(super) fn operation(&self) -> Option<Operation> {
        self.exchange.request.operation
    }

    /// The response as a document, with the request.
    pub(super) fn document(&self) -> Document {
        Document {
            request_line: Some(format!("{} {}", self.exchange.request.method, self.path())),
            operation: self.operation(),
            ..Document::from(self.response)
        }
    }

    /// The path below the base address, without the query.
    pub(super) fn path(&self) -> &'a str {
        let path = self.exchange.request.path.as_str();
        path.split(['?', '#']).next().unwrap_or(path)
    }

    /// The address before [`Self::path`]. Empty if the whole address does not end with that path.
    pub(super) fn base(&self) -> &'a str {
        let url = self.exchange.request.url.as_str();
        let url = url.split(['?', '#']).next().unwrap_or(url);
        url.strip_suffix(self.path()).unwrap_or_default()
    }

    /// The end of the response by the clock of this machine, in seconds since 1970.
    pub(super) fn ended_at(&self) -> i64 {
        let lasted = i64::try_from(self.exchange.duration.as_secs()).unwrap_or_default();
        self.exchange.sent_at_seconds + lasted
    }

    /// All values of a header, joined by a comma. `name` is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        document::joined(&self.response.headers, name)
    }

    pub(super) fn media_type(&self) -> Option<String> {
        document::media_type(&self.response.headers)
    }

    pub(super) fn is_success(&self) -> bool {
        self.response.is_success()
    }

    /// Whether the body is the part of a body that the request asked for with `Range` (RFC 9110 §15.3.7).
    pub(super) fn is_part(&self) -> bool {
        let part = self.header("content-range");
        let part = part.as_deref().and_then(|it| it.strip_prefix("bytes ")?.split_once('/'));
        let ends = part.and_then(|(ends, _)| {
            let (first, last) = ends.split_once('-')?;
            Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
        });
        let length = self.response.body.len() as u64;
        self.status() == 206
            && self.exchange.request.headers.iter().any(|(name, _)| name == "range")
            && ends.is_some_and(|(first, last)| last.checked_sub(first) == length.checked_sub(1))
    }

    /// Whether it is a success of the token endpoint.
    pub(super) fn is_new_token(&self) -> bool {
        self.operation() == Some(Operation::CreateAccessToken) && self.is_success()
    }

    /// Whether the rate limiter may be the sender: 429 or 503, with any body (`rate_limit_response`).
    pub(super) fn is_limit(&self) -> bool {
        matches!(self.status(), 429 | 503)
    }

    /// The body, if it is complete and the method has one.
    pub(super) fn whole_body(&self) -> Option<&'a Bytes> {
        (!self.response.is_cut && self.exchange.request.method != "HEAD")
            .then_some(&self.response.body)
    }

    /// Whether this is a failure of the API that neither the rate limiter nor a gateway sent. Only paths below `/v1`
    /// count. The token endpoint is not below it, and has another body for failures.
    pub(super) fn is_api_error(&self) -> bool {
        let is_failure = (400..600).contains(&self.status()) && !self.is_limit();
        // A gateway writes the body itself.
        let is_gateway = self.response.may_be_of_gateway();
        let prefix = contract::VERSION_PREFIX;
        let below = self.path().strip_prefix(prefix);
        let is_api = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        is_failure && !is_gateway && is_api && self.whole_body().is_some()
    }

    /// Whether this is an error that the question `other_errors` leaves open: an unknown path, a wrong method or media
    /// type, or a body, an address or a header too large. A server in front of the service may send it, with a body of
    /// its own. It may also refuse a malformed path.
    pub(super) fn is_other_error(&self) -> bool {
        match self.operation() {
            None => matches!(self.status(), 400 | 402..=499),
            Some(_) => {
                matches!(self.status(), 405 | 413 | 414 | 415 | 431)
                    || self.is_malformed_refusal()
                    || self.is_unacceptable_refusal()
            }
        }
    }

    /// Whether it refuses a malformed request (§7): many servers refuse a path that is not text, or that has control
    /// characters, before they look for a resource. Apache httpd says 404.
    pub(super) fn is_malformed_refusal(&self) -> bool {
        let is_text = |path: Cow<'_, str>| !path.contains(char::is_control);
        let decoded = percent_decode_str(self.path()).decode_utf8();
        matches!(self.status(), 400 | 404) && !decoded.is_ok_and(is_text)
    }

    /// Whether it refuses an `Accept` without JSON. A service may do so, or ignore the header (RFC 9110 §12.5.1).
    pub(super) fn is_unacceptable_refusal(&self) -> bool {
        let headers = &self.exchange.request.headers;
        let accepted = document::joined(headers, "accept").unwrap_or_default();
        let allows_json = ["json", "*/*", "application/*"].iter().any(|it| accepted.contains(it));
        self.status() == 406 && !accepted.is_empty() && !allows_json
    }

    /// Whether §7 asks for a problem: any error of the API. An error of `other_errors` is judged only if it calls
    /// itself a problem.
    pub(super) fn is_problem_due(&self) -> bool {
        self.is_api_error() && (!self.is_other_error() || self.is_called_problem())
    }

    /// Whether the response calls itself a problem: by its media type, or as `application/json` with the members of
    /// one.
    fn is_called_problem(&self) -> bool {
        let has =
            |name: &str| self.response.json.as_deref().is_some_and(|it| it.get(name).is_some());
        match self.media_type().as_deref() {
            Some(PROBLEM) => true,
            Some("application/json") => has("type") && has("title"),
            _ => false,
        }
    }

    /// The members of the problem, if §7 asks for one and the body is an object.
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
