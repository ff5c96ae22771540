//! Problems that do not come from a world: refusals of the control plane, and bugs of the mock.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use serde_json::json;

use super::body::SiteBody;
use crate::control::Refusal;

/// Refusals of the control plane that only the shell has.
impl Refusal {
    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(400, "malformed", detail)
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "the control plane wants its token: `Authorization: Bearer …`";
        Self::new(401, "unauthorized", detail)
    }

    pub(crate) fn foreign(detail: impl Into<String>) -> Self {
        Self::new(403, "foreign", detail)
    }

    pub(crate) fn method_not_allowed(detail: impl Into<String>) -> Self {
        Self::new(405, "method_not_allowed", detail)
    }

    pub(crate) fn timeout(detail: impl Into<String>) -> Self {
        Self::new(408, "timeout", detail)
    }

    pub(crate) fn too_large(detail: impl Into<String>) -> Self {
        Self::new(413, "too_large", detail)
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(503, "not_active", detail)
    }

    /// The response, an RFC 9457 problem; `instance` is the path of the call.
    pub(crate) fn respond(&self, instance: &str) -> Response<SiteBody> {
        // The constructors use valid statuses only.
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut body = json!({
            "type": self.problem,
            "title": status.canonical_reason().unwrap_or("Error"),
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        });
        for (name, value) in &self.members {
            body[name] = value.clone();
        }
        let mut response = respond(status, "application/problem+json", body.to_string());
        if status == StatusCode::UNAUTHORIZED {
            // RFC 9110 §15.5.2 demands a challenge.
            let challenge = HeaderValue::from_static(r#"Bearer realm="control plane""#);
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// 500: a bug of the mock. `what` names it.
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

/// A response of text.
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
