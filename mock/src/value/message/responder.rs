//! Builds responses: the headers in a fixed order, and the forms of a body.

use bytes::Bytes;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, DATE, HeaderName, HeaderValue, PRAGMA,
};
use jiff::Timestamp;
use moot_fixtures::contract::Answers;
use serde::Serialize;
use serde_json::{Value, json};

use crate::value::identifier::{IdKind, Identifiers};
use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::value::message::problem::{Problem, ProblemForm};
use crate::value::message::response::{RefusalReason, Response, ResponseBody};

/// Builds the response to one call.
#[derive(Debug)]
pub(crate) struct Responder<'a> {
    /// The answers of the world.
    pub(crate) answers: &'a Answers,
    /// Empty, or with a leading `/`.
    pub(crate) base_path: &'a str,
    /// As sent.
    pub(crate) path: &'a str,
    /// Number of the call.
    pub(crate) serial: u64,
    /// For `request_id`.
    pub(crate) identifiers: &'a Identifiers,
    /// The world's time.
    pub(crate) now: Timestamp,
    /// `now` as the header `Date`.
    pub(crate) date: HeaderValue,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl Responder<'_> {
    /// A JSON body.
    pub(crate) fn json(&self, status: u16, body: &impl Serialize) -> Response {
        self.bytes(status, Some(JSON), json_bytes(body).into())
    }

    /// A JSON body that caches must not store (RFC 6749 §5.1).
    pub(crate) fn secret_json(&self, body: &impl Serialize) -> Response {
        let mut response = self.json(200, body);
        forbid_storing(&mut response);
        response
    }

    /// No body.
    pub(crate) fn empty(&self, status: u16) -> Response {
        self.bytes(status, None, Bytes::new())
    }

    /// A stored document.
    pub(crate) fn download(
        &self,
        name: &str,
        media_type: &'static str,
        content: Content,
    ) -> Response {
        let mut response =
            self.bytes(200, Some(HeaderValue::from_static(media_type)), Bytes::new());
        response.headers.push((CONTENT_DISPOSITION, attachment(name)));
        response.body = ResponseBody::Content(content);
        response
    }

    /// A refusal.
    pub(crate) fn problem(&self, problem: &Problem) -> Response {
        let mut response = match problem.form {
            ProblemForm::Problem => {
                let media_type = HeaderValue::from_str(&self.answers.problem_content_type);
                let body = json_bytes(&self.problem_body(problem));
                self.bytes(problem.status, Some(media_type.unwrap_or(PROBLEM_JSON)), body.into())
            }
            ProblemForm::TokenFailure => {
                let body = json!({
                    "error": problem.problem_type,
                    "error_description": problem.detail,
                });
                let mut response = self.json(problem.status, &body);
                forbid_storing(&mut response);
                response
            }
            ProblemForm::Text => {
                self.bytes(problem.status, Some(TEXT), problem.detail.clone().into())
            }
            ProblemForm::Empty => self.empty(problem.status),
        };
        response.headers.extend(problem.header.as_deref().cloned());
        response.refused = Some(Box::new(RefusalReason {
            rule_group: problem.rule_group,
            rule: problem.rule.clone(),
            problem: problem.problem_type.clone().into_owned(),
            detail: problem.detail.clone(),
        }));
        response
    }

    /// The members in the order of §7.
    fn problem_body(&self, problem: &Problem) -> Value {
        let base_path = if self.answers.instance_prefix { self.base_path } else { "" };
        json!({
            "type": problem.problem_type,
            "status": problem.status,
            "title": problem.title,
            "detail": problem.detail,
            "instance": format!("{base_path}{}", self.path),
            "request_id": format!("req_{}", self.identifiers.id(IdKind::Call, self.serial)),
        })
    }

    fn bytes(&self, status: u16, media_type: Option<HeaderValue>, body: Bytes) -> Response {
        let mut headers: Vec<(HeaderName, HeaderValue)> = Vec::with_capacity(4);
        headers.push((DATE, self.date.clone()));
        headers.extend(media_type.map(|media_type| (CONTENT_TYPE, media_type)));
        Response {
            // Answers from a file are valid. Code that builds a world may use any status.
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
            headers,
            body: ResponseBody::Bytes(body),
            refused: None,
            transport: Vec::new(),
            page: None,
        }
    }
}

fn forbid_storing(response: &mut Response) {
    response.headers.push((CACHE_CONTROL, HeaderValue::from_static("no-store")));
    response.headers.push((PRAGMA, HeaderValue::from_static("no-cache")));
}

/// `attachment` with the file name in both forms of RFC 6266.
fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => '_',
            ' '..='~' => letter,
            _ => '_',
        })
        .collect();
    let encoded = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}
