//! Defects of what the token endpoint grants (§2.8, §4.1). What it refuses: `token_refusals`.

use http::StatusCode;
use http::header::{CACHE_CONTROL, PRAGMA};
use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use super::Defect;
use super::asked::Asked;
use super::edit::Edit;
use super::forge;
use super::row::row;
use super::seam::{Seam, success};
use crate::message::response::ResponseBody;
use crate::world::Outcome;

pub(super) const TOKEN: Operation = Operation::CreateAccessToken;

pub(super) const ROWS: &[Defect] = &[
    row(
        "token.lifetime-text",
        "2.8",
        &["token.lifetime-7200"],
        "The lifetime of a token is a text.",
        success(&[TOKEN], "/expires_in", Edit::AsText),
    )
    .also(&["token.response-shape"]),
    row(
        "token.lifetime-3600",
        "2.8",
        &["token.lifetime-7200"],
        "The lifetime in the token response is an hour.",
        success(&[TOKEN], "/expires_in", Edit::Number(3600)),
    )
    .also(&["token.response-shape"]),
    row(
        "token.type-lower-case",
        "2.8",
        &["token.type-bearer"],
        "The token type is `bearer`.",
        success(&[TOKEN], "/token_type", Edit::Text("bearer")),
    )
    .also(&["token.response-shape"]),
    row(
        "token.type-missing",
        "2.8",
        &["token.type-bearer", "token.response-shape"],
        "The token response has no token type.",
        success(&[TOKEN], "/token_type", Edit::Drop),
    ),
    row(
        "token.created-at-milliseconds",
        "2.8",
        &["token.created-at-seconds"],
        "The creation time of a token is an ISO 8601 text.",
        success(&[TOKEN], "/created_at", Edit::Text("2026-03-05T14:30:00Z")),
    )
    .also(&["token.response-shape"]),
    row(
        "token.created-at-missing",
        "2.8",
        &["token.created-at-seconds", "token.response-shape"],
        "The token response has no creation time.",
        success(&[TOKEN], "/created_at", Edit::Drop),
    ),
    row(
        "token.scope-list",
        "2.8",
        &["token.scope-space-separated"],
        "The granted scopes are a list.",
        success(&[TOKEN], "/scope", Edit::Listed),
    )
    .also(&[
        "token.response-shape",
        "token.scope-as-asked",
        "token.scope-default-read",
        "token.scope-default-read-write-only",
    ]),
    row(
        "token.scope-commas",
        "2.8",
        &["token.scope-space-separated"],
        "The granted scopes are separated by commas.",
        Seam::Reply(|said, response| {
            if said.operation == Some(TOKEN) {
                super::edit::rewrite(response, |body| {
                    if let Some(scope) = body.get_mut("scope") {
                        let commas = scope.as_str().unwrap_or_default().replace(' ', ",");
                        *scope = commas.into();
                    }
                });
            }
        }),
    )
    .also(&["token.scope-as-asked"]),
    row(
        "token.scope-missing",
        "4.1",
        &["token.scope-as-asked", "token.response-shape"],
        "The token response does not tell the scope.",
        success(&[TOKEN], "/scope", Edit::Drop),
    )
    .also(&[
        "token.scope-space-separated",
        "token.scope-default-read",
        "token.scope-default-read-write-only",
    ]),
    row(
        "token.access-token-renamed",
        "2.8",
        &["token.access-token-is-string", "token.response-shape"],
        "The access token is in the member `token`.",
        success(&[TOKEN], "/access_token", Edit::Rename("token")),
    )
    .also(&["authentication.client-credentials-flow", "token.works-as-bearer"]),
    row(
        "token.truncated",
        "2.8",
        &["token.works-as-bearer", "authentication.client-credentials-flow"],
        "The access token in the response is cut off.",
        success(&[TOKEN], "/access_token", Edit::Cut(40)),
    ),
    row(
        "token.status-201",
        "4.1",
        &["token.success-status"],
        "A granted token comes with 201.",
        Seam::Reply(|said, response| {
            if said.operation == Some(TOKEN) && response.status == StatusCode::OK {
                response.status = StatusCode::CREATED;
            }
        }),
    )
    .also(&["http.declared-status"]),
    row(
        "token.storable",
        "4.1",
        &["oauth.no-store"],
        "A token response may be stored.",
        Seam::Reply(|said, response| {
            if said.operation == Some(TOKEN) {
                response.headers.retain(|(name, _)| *name != CACHE_CONTROL && *name != PRAGMA);
            }
        }),
    ),
    row(
        "token.json-only",
        "4.1",
        &["token.form-encoded"],
        "The token endpoint refuses form fields.",
        Seam::Answer(|asked, outcome| match asked.is(TOKEN) {
            true => forge::token_failure(asked, 400, "invalid_request"),
            false => outcome,
        }),
    )
    .also(&[
        "authentication.client-credentials-flow",
        "token.works-as-bearer",
        "token.success-status",
    ]),
    row(
        "token.always-read-write",
        "4.1",
        &["token.scope-as-asked"],
        "A token is granted every scope of its application, whatever was asked for.",
        Seam::Answer(|asked, outcome| grant(asked, outcome, |own, _| own.to_owned())),
    )
    .also(&[
        "token.read-scope-cannot-write",
        "token.scope-default-read-write-only",
        "authentication.insufficient-scope-403",
        "errors.insufficient-scope",
        "create-legal-request.error-403",
        "authentication.write-scope-required",
    ]),
    row(
        "token.read-only",
        "4.1",
        &["token.write-scope-writes"],
        "A token that was granted write can only read.",
        Seam::Answer(|asked, outcome| {
            let said = told_scope(&outcome);
            let mut outcome = grant(asked, outcome, |_, _| "read".to_owned());
            super::edit::rewrite(&mut outcome.response, |body| {
                if let (Some(scope), Some(said)) = (body.get_mut("scope"), said) {
                    *scope = said;
                }
            });
            outcome
        }),
    ),
    row(
        "token.writer-defaults-to-write",
        "4.1",
        &["token.scope-default-read-write-only"],
        "An application scoped to write that leaves out scope gets write.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.form_field("scope").is_none();
            let write = |own: &str, _: &str| own.to_owned();
            if is_omitted { grant(asked, outcome, write) } else { outcome }
        }),
    ),
    row(
        "token.reader-must-name-scope",
        "4.1",
        &["token.scope-default-read"],
        "An application scoped to read has to name its scope.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.is(TOKEN) && asked.form_field("scope").is_none();
            if is_omitted && outcome.is_taken() {
                forge::token_failure(asked, 400, "invalid_scope")
            } else {
                outcome
            }
        }),
    )
    .also(&["token.scope-default-read-write-only"]),
    row(
        "token.scope-never-required",
        "4.1",
        &["token.scope-required-for-read-write"],
        "An application scoped to read write may leave out scope.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.is(TOKEN) && asked.form_field("scope").is_none();
            if is_omitted && !outcome.is_taken() { issued(asked, outcome, "read") } else { outcome }
        }),
    ),
    row(
        "token.scope-beyond-granted",
        "4.1",
        &["token.scope-beyond-not-granted"],
        "A scope that the application does not hold is granted.",
        Seam::Answer(|asked, outcome| match asked.form_field("scope").as_deref() {
            Some(scope @ ("read" | "write" | "read write")) if asked.is(TOKEN) => {
                issued(asked, outcome, scope)
            }
            _ => outcome,
        }),
    )
    .also(&["authentication.read-application-cannot-write"]),
    row(
        "token.scope-unknown-granted",
        "4.1",
        &["token.scope-unknown-not-granted"],
        "A scope that does not exist is granted.",
        Seam::Answer(|asked, outcome| {
            let scope = asked.form_field("scope").filter(|_| asked.is(TOKEN));
            let Some(scope) = scope.filter(|scope| scope.parse::<Scopes>().is_err()) else {
                return outcome;
            };
            let mut issued = issued(asked, outcome, "read");
            super::edit::rewrite(&mut issued.response, |body| body["scope"] = scope.into());
            issued
        }),
    )
    .also(&["token.scope-beyond-not-granted"]),
];

/// What the core says, with these scopes of a known client where it grants some: of those that the
/// application has and those that were granted.
fn grant(asked: &Asked<'_>, outcome: Outcome, scopes: impl Fn(&str, &str) -> String) -> Outcome {
    let Some((_, client)) = asked.client() else { return outcome };
    if !asked.is(TOKEN) || !outcome.is_taken() {
        return outcome;
    }
    let asked_for = asked.form_field("scope").unwrap_or_default();
    issued(asked, outcome, &scopes(client.scopes.as_str(), &asked_for))
}

/// A token for a known client, whatever else is wrong with the call.
pub(super) fn issued(asked: &Asked<'_>, outcome: Outcome, scopes: &str) -> Outcome {
    let response = asked.client().and_then(|(index, _)| forge::token(asked, index, scopes));
    match response {
        Some(response) => Outcome { response, ..outcome },
        None => outcome,
    }
}

/// The scope that a token response tells.
fn told_scope(outcome: &Outcome) -> Option<Value> {
    let ResponseBody::Bytes(bytes) = &outcome.response.body else { return None };
    serde_json::from_slice::<Value>(bytes).ok()?.get("scope").cloned()
}
