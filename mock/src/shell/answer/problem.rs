//! Problems that no world speaks of: those of the control plane, and those that are our own fault.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::body::SiteBody;
use crate::control::Refusal;

/// An RFC 9457 problem of the control plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ControlProblem {
    pub(crate) status: StatusCode,
    pub(crate) problem: &'static str,
    pub(crate) detail: String,
    /// Further members of its body.
    pub(crate) members: Vec<(&'static str, Value)>,
}

impl ControlProblem {
    fn new(status: StatusCode, problem: &'static str, detail: impl Into<String>) -> Self {
        Self { status, problem, detail: detail.into(), members: Vec::new() }
    }

    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    pub(crate) fn invalid_value(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_value", detail)
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "the control plane wants its token: `Authorization: Bearer …`";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    pub(crate) fn foreign(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign", detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    pub(crate) fn method_not_allowed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
    }

    pub(crate) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", detail)
    }

    pub(crate) fn timeout(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", detail)
    }

    pub(crate) fn not_kept(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "state_not_kept", detail)
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "not_active", detail)
    }

    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    }

    /// The answer; `instance` is the path of the call.
    pub(crate) fn respond(&self, instance: &str) -> Response<SiteBody> {
        let mut body = json!({
            "type": self.problem,
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "instance": instance,
        });
        for (name, value) in &self.members {
            body[name] = value.clone();
        }
        respond(self.status, "application/problem+json", body.to_string())
    }
}

impl From<Refusal> for ControlProblem {
    fn from(Refusal { status, problem, detail }: Refusal) -> Self {
        // The core's refusals are 4xx by their constructors.
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, problem, detail, members: Vec::new() }
    }
}

/// 500: our own fault, which `what` names.
pub(crate) fn internal(what: &str) -> Response<SiteBody> {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let body = json!({
        "type": "internal_error",
        "title": "Internal Server Error",
        "status": status.as_u16(),
        "detail": what,
    });
    respond(status, "application/problem+json", body.to_string())
}

/// An answer of text.
pub(crate) fn respond(
    status: StatusCode,
    content_type: &'static str,
    body: String,
) -> Response<SiteBody> {
    let mut response = Response::new(SiteBody::from(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
