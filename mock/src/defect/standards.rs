//! Defects of HTTP, JSON and multipart, and answers to odd calls (§7, and the standards it leans on).

use bytes::Bytes;
use http::StatusCode;
use http::header::{ALLOW, CONTENT_TYPE, DATE, HeaderValue, LOCATION};
use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::Defect;
use super::edit::{self, Edit};
use super::forge;
use super::problems::{is_type, set_type};
use super::row::row;
use super::seam::{Said, Seam};
use crate::message::call::{Body, BodyFault};
use crate::message::content::ContentPlace;
use crate::message::response::{Response, ResponseBody};

pub(super) const ROWS: &[Defect] = &[
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
    )
    .also(&["get-legal-request.shape", "list-workflows.shape"]),
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
                    ContentPlace::File { .. } | ContentPlace::Apart => false,
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
