//! Defects of problem bodies, of HTTP and of JSON (§7, and the standards it leans on).

use bytes::Bytes;
use http::StatusCode;
use http::header::{ALLOW, CONTENT_TYPE, DATE, HeaderValue, LOCATION};
use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::Defect;
use super::edit::{self, Edit};
use super::forge;
use super::row::row;
use super::seam::{Said, Seam, problems};
use crate::call::{Body, BodyFault, ContentPlace};
use crate::response::{Response, ResponseBody};

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
    row(
        "http.json-as-text",
        "4",
        &["http.json-media-type"],
        "JSON bodies are sent as text/html.",
        Seam::Reply(|_, response| {
            if is_type(response, "application/json") {
                set_type(response, "text/html");
            }
        }),
    )
    .also(&["token.response-shape"]),
    row(
        "http.no-date",
        "4",
        &["http.date"],
        "Answers carry no `Date`.",
        Seam::Reply(|_, response| response.headers.retain(|(name, _)| *name != DATE)),
    ),
    row(
        "http.date-iso",
        "4",
        &["http.date"],
        "`Date` is in ISO 8601.",
        Seam::Reply(|said, response| {
            let text = said.now.to_string();
            for (name, value) in &mut response.headers {
                if *name == DATE {
                    *value = HeaderValue::from_str(&text).unwrap_or_else(|_| value.clone());
                }
            }
        }),
    ),
    row(
        "http.no-allow",
        "7",
        &["http.allow-on-405"],
        "An answer 405 does not list the methods of the path.",
        Seam::Reply(|_, response| response.headers.retain(|(name, _)| *name != ALLOW)),
    ),
    row(
        "http.unknown-path-taken",
        "7",
        &["http.unknown-path"],
        "A path that does not exist leads to a page.",
        Seam::Reply(|said, response| {
            if said.operation.is_none() && response.status == StatusCode::NOT_FOUND {
                response.status = StatusCode::FOUND;
                response.headers.push((LOCATION, HeaderValue::from_static("/login")));
            }
        }),
    )
    .also(&["versioning.v1-prefix", "versioning.token-endpoint-unversioned"]),
    row(
        "http.wrong-method-taken",
        "7",
        &["http.wrong-method"],
        "A method that a path does not take is answered with 200.",
        Seam::Reply(|_, response| {
            if response.status == StatusCode::METHOD_NOT_ALLOWED {
                response.status = StatusCode::OK;
            }
        }),
    )
    .also(&["states.workflow-not-changeable", "errors.status-agrees"]),
    row(
        "http.wrong-media-type-taken",
        "7",
        &["http.wrong-media-type"],
        "A body of another media type creates something all the same.",
        Seam::Answer(|asked, outcome| {
            let is_other = matches!(
                asked.call.body,
                Body::Broken(BodyFault::NoBoundary | BodyFault::WrongMediaType)
            );
            if is_other { forge::taken(asked, outcome) } else { outcome }
        }),
    )
    .also(&["errors.malformed-400", "create-legal-request.error-400"]),
    row(
        "http.undeclared-status",
        "7",
        &["http.declared-status"],
        "Lists are answered with 206.",
        Seam::Reply(|said, response| {
            let is_list = matches!(
                said.operation,
                Some(Operation::ListWorkflows | Operation::ListLegalRequests)
            );
            if is_list && response.status == StatusCode::OK {
                response.status = StatusCode::PARTIAL_CONTENT;
            }
        }),
    )
    .also(&[
        "list-workflows.status-200",
        "list-legal-requests.status-200",
        "service.manages-four-kinds",
    ]),
    row(
        "json.twice",
        "4",
        &["json.valid"],
        "A resource has a member twice.",
        Seam::Reply(|said, response| {
            let is_meant = matches!(
                said.operation,
                Some(Operation::GetLegalRequest | Operation::ListWorkflows)
            );
            if let ResponseBody::Bytes(body) = &response.body
                && is_meant
                && response.status.is_success()
                && body.starts_with(b"{")
            {
                let twice = [br#"{"data":null,"#.as_slice(), &body[1..]].concat();
                response.body = ResponseBody::Bytes(twice.into());
            }
        }),
    ),
    row(
        "json.cut-off",
        "4",
        &["json.valid"],
        "The log of a request ends before its JSON does.",
        Seam::Reply(|said, response| {
            if let ResponseBody::Bytes(body) = &mut response.body
                && said.operation == Some(Operation::GetLegalRequestActivity)
            {
                body.truncate(body.len().saturating_sub(1));
            }
        }),
    )
    .also(&["get-legal-request-activity.shape", "create-legal-request.then-logged"]),
    row(
        "json.latin-1",
        "4",
        &["json.valid"],
        "Names are sent in Latin-1.",
        Seam::Reply(|_, response| {
            if let ResponseBody::Bytes(body) = &response.body
                && let Ok(text) = std::str::from_utf8(body)
                && !text.is_ascii()
            {
                let latin: Vec<u8> =
                    text.chars().map(|letter| u8::try_from(letter).unwrap_or(0x97)).collect();
                response.body = ResponseBody::Bytes(Bytes::from(latin));
            }
        }),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "create-legal-request.shape",
        "create-legal-request.then-readable",
        "create-legal-request.then-listed",
    ]),
    row(
        "multipart.quotes-kept",
        "4.9",
        &["multipart.quoted-boundary"],
        "A quoted boundary is not understood.",
        Seam::Strict {
            on: Operation::CreateRepositoryDocument,
            when: |asked| {
                let sent = asked.call.head.headers.get(CONTENT_TYPE);
                sent.is_some_and(|sent| sent.as_bytes().contains(&b'"'))
            },
        },
    ),
    row(
        "multipart.order-matters",
        "4.9",
        &["multipart.parts-in-any-order"],
        "A document is refused where its file is not the first part.",
        Seam::Strict {
            on: Operation::CreateRepositoryDocument,
            when: |asked| {
                asked.sends("file") && asked.parts().first().is_some_and(|part| part.name != "file")
            },
        },
    ),
    row(
        "hostile.malformed-json-is-500",
        "7",
        &["errors.never-5xx"],
        "Variables and metadata that are no JSON make the service fail.",
        Seam::Answer(|asked, mut outcome| {
            let is_broken = |name: &str| {
                asked.parts().iter().any(|part| match &part.content.place {
                    ContentPlace::Memory(bytes) => {
                        part.name == name && serde_json::from_slice::<Value>(bytes).is_err()
                    }
                    ContentPlace::File { .. } => false,
                })
            };
            if is_broken("variables") || is_broken("metadata") {
                outcome.response.status = StatusCode::INTERNAL_SERVER_ERROR;
            }
            outcome
        }),
    )
    .also(&[
        "errors.status-agrees",
        "create-legal-request.variables-are-json",
        "create-repository-document.metadata-must-be-an-object",
    ]),
    row(
        "hostile.unknown-id-is-500",
        "7",
        &["errors.never-5xx"],
        "An id that nothing has makes the service fail.",
        Seam::Reply(|said, response| {
            if said.operation.is_some() && response.status == StatusCode::NOT_FOUND {
                response.status = StatusCode::INTERNAL_SERVER_ERROR;
            }
        }),
    )
    .also(&[
        "errors.status-agrees",
        "errors.known-type",
        "errors.request-not-found",
        "get-legal-request.unknown-404",
        "get-legal-request-activity.unknown-404",
        "get-workflow.unknown-404",
        "get-workflow-schema.unknown-404",
        "get-repository-document.unknown-404",
        "delete-webhook.unknown-404",
        "delete-webhook.twice-404",
    ]),
    row(
        "malformed.taken",
        "7",
        &["errors.malformed-400"],
        "A body that breaks off creates a request of what came.",
        Seam::Answer(|asked, outcome| {
            let is_broken = matches!(
                asked.call.body,
                Body::Broken(BodyFault::Malformed(_) | BodyFault::Truncated)
            );
            if is_broken { forge::taken(asked, outcome) } else { outcome }
        }),
    ),
    row(
        "create.empty-body-is-422",
        "4.5",
        &["create-legal-request.error-400"],
        "A request without a body is refused with 422.",
        Seam::Answer(|asked, outcome| {
            let is_empty = asked.is(Operation::CreateLegalRequest) && asked.parts().is_empty();
            if is_empty { forge::refused(asked) } else { outcome }
        }),
    )
    .also(&["errors.malformed-400", "http.wrong-media-type"]),
    row(
        "create.unauthorised-is-403",
        "4.5",
        &["create-legal-request.error-401"],
        "A request without a token is refused with 403.",
        Seam::Reply(|said, response| restate(said, response, StatusCode::UNAUTHORIZED, 403)),
    )
    .also(&["authentication.missing-401", "errors.status-agrees", "errors.known-type"]),
    row(
        "create.forbidden-is-401",
        "4.5",
        &["create-legal-request.error-403"],
        "A token that lacks the scope to create a request is refused with 401.",
        Seam::Reply(|said, response| restate(said, response, StatusCode::FORBIDDEN, 401)),
    )
    .also(&[
        "authentication.write-scope-required",
        "authentication.insufficient-scope-403",
        "authentication.read-application-cannot-write",
        "token.read-scope-cannot-write",
        "errors.insufficient-scope",
        "errors.known-type",
    ]),
];

fn restate(said: &Said<'_>, response: &mut Response, from: StatusCode, to: u16) {
    if said.operation == Some(Operation::CreateLegalRequest) && response.status == from {
        response.status = StatusCode::from_u16(to).unwrap_or(from);
        edit::rewrite(response, |body| {
            edit::edit(body, "/status", Edit::Number(i64::from(to)));
        });
    }
}

fn retype(response: &mut Response, from: &str, to: &'static str) {
    if response.refused.as_ref().is_some_and(|refused| refused.problem == from) {
        edit::rewrite(response, |body| edit::edit(body, "/type", Edit::Text(to)));
    }
}

fn is_type(response: &Response, media_type: &str) -> bool {
    let types = response.headers.iter().filter(|(name, _)| *name == CONTENT_TYPE);
    types.into_iter().any(|(_, value)| value == media_type)
}

fn set_type(response: &mut Response, media_type: &'static str) {
    for (name, value) in &mut response.headers {
        if *name == CONTENT_TYPE {
            *value = HeaderValue::from_static(media_type);
        }
    }
}
