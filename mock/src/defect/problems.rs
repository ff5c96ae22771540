//! Defects of problem bodies (§7).

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Seam, problems};
use crate::message::response::Response;

const MEMBER_ROWS: &[&str] = &[
    "errors.known-type",
    "errors.title-of-type",
    "errors.parameter-missing",
    "errors.malformed-400",
    "errors.invalid-token",
    "errors.token-expired",
    "errors.token-revoked",
    "errors.insufficient-scope",
    "errors.request-not-found",
    "errors.repository-document-creation-error",
    "create-repository-document.file-or-url-required",
    "create-repository-document.unsupported-type-422",
];

pub(super) const ROWS: &[Defect] = &[
    row(
        "problem.type-number",
        "7",
        &["errors.member-type"],
        "The type of a problem is a number.",
        problems("/type", Edit::Number(17)),
    )
    .also(MEMBER_ROWS),
    row(
        "problem.status-text",
        "7",
        &["errors.member-status"],
        "The status of a problem is a text.",
        problems("/status", Edit::AsText),
    )
    .also(&["errors.status-agrees"]),
    row(
        "problem.title-missing",
        "7",
        &["errors.member-title"],
        "A problem has no title.",
        problems("/title", Edit::Drop),
    )
    .also(MEMBER_ROWS),
    row(
        "problem.detail-list",
        "7",
        &["errors.member-detail"],
        "The detail of a problem is a list of messages.",
        problems("/detail", Edit::Listed),
    )
    .also(&["create-repository-document.neither-detail-says-so"]),
    row(
        "problem.instance-missing",
        "7",
        &["errors.member-instance"],
        "A problem has no instance.",
        problems("/instance", Edit::Drop),
    )
    .also(&["errors.instance-is-path"]),
    row(
        "problem.request-id-missing",
        "7",
        &["errors.member-request-id"],
        "A problem has no request id.",
        problems("/request_id", Edit::Drop),
    ),
    row(
        "problem.status-differs",
        "7",
        &["errors.status-agrees"],
        "The status of a problem is always 400.",
        problems("/status", Edit::Number(400)),
    ),
    row(
        "problem.instance-root",
        "7",
        &["errors.instance-is-path"],
        "The instance of a problem is always the root.",
        problems("/instance", Edit::Text("/")),
    ),
    row(
        "problem.request-id-constant",
        "7",
        &["errors.request-id-unique"],
        "Every problem has the same request id.",
        problems("/request_id", Edit::Text("req_0")),
    ),
    row(
        "problem.types-swapped",
        "7",
        &["errors.known-type"],
        "A 404 has the type `parameter_missing`.",
        Seam::Reply(|_, response| {
            if response.status == StatusCode::NOT_FOUND {
                edit::rewrite(response, |body| {
                    edit::edit(body, "/type", Edit::Text("parameter_missing"));
                });
            }
        }),
    )
    .also(&[
        "errors.title-of-type",
        "errors.request-not-found",
        "get-legal-request.unknown-404",
        "get-legal-request-activity.unknown-404",
    ]),
    row(
        "problem.title-other",
        "7",
        &["errors.title-of-type"],
        "The title of a problem is the reason phrase of its status.",
        Seam::Reply(|_, response| {
            let reason = response.status.canonical_reason().unwrap_or_default();
            if response.refused.is_some() {
                edit::rewrite(response, |body| {
                    if let Some(title) = body.get_mut("title") {
                        *title = reason.to_uppercase().into();
                    }
                });
            }
        }),
    )
    .also(MEMBER_ROWS),
    row(
        "problem.parameter-missing-is-422",
        "7",
        &["errors.parameter-missing"],
        "A missing parameter is answered with 422.",
        Seam::Reply(|_, response| {
            let is_meant = response
                .refused
                .as_ref()
                .is_some_and(|refused| refused.problem == "parameter_missing");
            if is_meant {
                response.status = StatusCode::UNPROCESSABLE_ENTITY;
                edit::rewrite(response, |body| edit::edit(body, "/status", Edit::Number(422)));
            }
        }),
    )
    .also(&[
        "errors.known-type",
        "errors.malformed-400",
        "create-legal-request.workflow-id-required",
        "create-legal-request.requester-required",
        "create-legal-request.required-field",
        "create-legal-request.file-required",
        "create-legal-request.signers-required",
        "create-legal-request.error-400",
        "create-repository-document.file-or-url-required",
    ]),
    row(
        "problem.invalid-token-titled",
        "7",
        &["errors.invalid-token"],
        "A missing or invalid token is called `unauthorized`.",
        Seam::Reply(|_, response| retype(response, "invalid_token", "unauthorized")),
    )
    .also(&[
        "authentication.missing-401",
        "authentication.invalid-401",
        "authentication.altered-401",
        "authentication.malformed-401",
    ]),
    row(
        "problem.expired-is-invalid",
        "7",
        &["errors.token-expired", "authentication.expired-401"],
        "An expired token is called invalid.",
        Seam::Reply(|_, response| retype(response, "token_expired", "invalid_token")),
    )
    .also(&["authentication.expired-at-7200", "errors.title-of-type"]),
    row(
        "problem.revoked-is-invalid",
        "7",
        &["errors.token-revoked", "authentication.revoked-401"],
        "A revoked token is called invalid.",
        Seam::Reply(|_, response| retype(response, "token_revoked", "invalid_token")),
    )
    .also(&["errors.title-of-type"]),
    row(
        "problem.scope-is-forbidden",
        "7",
        &["errors.insufficient-scope", "authentication.insufficient-scope-403"],
        "A token that lacks the scope is answered with the type `forbidden`.",
        Seam::Reply(|_, response| retype(response, "insufficient_scope", "forbidden")),
    )
    .also(&[
        "create-repository-document.requires-write",
        "delete-webhook.requires-write",
        "create-legal-request.error-403",
        "authentication.write-scope-required",
    ]),
    row(
        "problem.request-unknown",
        "7",
        &["errors.request-not-found"],
        "A request that does not exist is answered with the type `not_found`.",
        Seam::Reply(|_, response| retype(response, "request_not_found", "not_found")),
    )
    .also(&["get-legal-request.unknown-404", "get-legal-request-activity.unknown-404"]),
    row(
        "problem.upload-type",
        "7",
        &["errors.repository-document-creation-error"],
        "An upload that can't be processed is answered with the type `invalid_file`.",
        Seam::Reply(|_, response| {
            retype(response, "repository_document_creation_error", "invalid_file");
        }),
    )
    .also(&["create-repository-document.unsupported-type-422"]),
    row(
        "problem.plain-json",
        "7",
        &["errors.media-type"],
        "Problems are sent as plain text.",
        Seam::Reply(|_, response| {
            if response.refused.is_some() && is_type(response, "application/problem+json") {
                set_type(response, "text/plain");
            }
        }),
    )
    .also(&["http.json-media-type"]),
];

fn retype(response: &mut Response, from: &str, to: &'static str) {
    if response.refused.as_ref().is_some_and(|refused| refused.problem == from) {
        edit::rewrite(response, |body| edit::edit(body, "/type", Edit::Text(to)));
    }
}

/// Whether a response has this media type.
pub(super) fn is_type(response: &Response, media_type: &str) -> bool {
    let types = response.headers.iter().filter(|(name, _)| *name == CONTENT_TYPE);
    types.into_iter().any(|(_, value)| value == media_type)
}

/// Gives a response another media type.
pub(super) fn set_type(response: &mut Response, media_type: &'static str) {
    for (name, value) in &mut response.headers {
        if *name == CONTENT_TYPE {
            *value = HeaderValue::from_static(media_type);
        }
    }
}
