//! Defects of what the token endpoint refuses, and how it says so (§4.1, §7).

use super::Defect;
use super::edit::Edit;
use super::forge;
use super::row::row;
use super::seam::{Seam, token_failures};
use super::tokens::{TOKEN, issued};

pub(super) const ROWS: &[Defect] = &[
    row(
        "token.grant-type-optional",
        "4.1",
        &["token.grant-type-required"],
        "A call without grant type gets a token.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.is(TOKEN) && asked.form_field("grant_type").is_none();
            if is_omitted { issued(asked, outcome, "read") } else { outcome }
        }),
    )
    .also(&["token.grant-type-missing-error-code", "token-failure.no-token"]),
    row(
        "token.grant-type-ignored",
        "4.1",
        &["token.grant-type-must-be-client-credentials"],
        "Any grant type gets a token.",
        Seam::Answer(|asked, outcome| {
            let other = asked.form_field("grant_type").filter(|_| asked.is(TOKEN));
            let is_other = other.is_some_and(|kind| kind != "client_credentials");
            if is_other { issued(asked, outcome, "read") } else { outcome }
        }),
    )
    .also(&["token.grant-type-error-code"]),
    row(
        "token.grant-type-code",
        "4.1",
        &["token.grant-type-error-code"],
        "Another grant type is refused with `invalid_grant`.",
        Seam::Reply(|_, response| rename_error(response, "unsupported_grant_type")),
    ),
    row(
        "token.grant-type-missing-code",
        "4.1",
        &["token.grant-type-missing-error-code"],
        "A call without grant type is refused with `invalid_grant`.",
        Seam::Reply(|_, response| rename_error(response, "invalid_request")),
    ),
    row(
        "token.client-id-missing-code",
        "4.1",
        &["token.client-id-required", "token.client-authentication-required"],
        "A call without client_id is refused with `invalid_request`.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.is(TOKEN) && asked.form_field("client_id").is_none();
            if is_omitted && !outcome.is_taken() {
                forge::token_failure(asked, 400, "invalid_request")
            } else {
                outcome
            }
        }),
    ),
    row(
        "token.client-secret-missing-code",
        "4.1",
        &["token.client-secret-required"],
        "A call without client_secret is refused with `invalid_request`.",
        Seam::Answer(|asked, outcome| {
            let has_id = asked.form_field("client_id").is_some();
            let is_omitted = has_id && asked.form_field("client_secret").is_none();
            if asked.is(TOKEN) && is_omitted && !outcome.is_taken() {
                forge::token_failure(asked, 400, "invalid_request")
            } else {
                outcome
            }
        }),
    ),
    row(
        "token.client-secret-optional",
        "4.1",
        &["token.client-secret-required"],
        "A call without client_secret gets a token.",
        Seam::Answer(|asked, outcome| {
            let is_omitted = asked.is(TOKEN) && asked.form_field("client_secret").is_none();
            if is_omitted { issued(asked, outcome, "read") } else { outcome }
        }),
    )
    .also(&["token.client-authentication-required", "token-failure.no-token"]),
    row(
        "token.unknown-client-code",
        "4.1",
        &["token.unknown-client-refused"],
        "An unknown client is refused with `unauthorized_client`.",
        Seam::Answer(|asked, outcome| {
            let is_unknown = asked.is(TOKEN) && asked.client().is_none();
            let is_named = asked.form_field("client_id").is_some();
            if is_unknown && is_named && !outcome.is_taken() {
                forge::token_failure(asked, 401, "unauthorized_client")
            } else {
                outcome
            }
        }),
    ),
    row(
        "token.wrong-secret-taken",
        "4.1",
        &["token.wrong-secret-refused"],
        "Any secret of a known client is taken.",
        Seam::Answer(|asked, outcome| {
            let is_sent = asked.is(TOKEN) && asked.form_field("client_secret").is_some();
            if is_sent { issued(asked, outcome, "read") } else { outcome }
        }),
    )
    .also(&["token.grant-type-required", "token.grant-type-must-be-client-credentials"]),
    row(
        "token.secret-in-any-case",
        "4.1",
        &["token.wrong-secret-refused"],
        "The secret of a client is compared without regard to case.",
        Seam::Answer(|asked, outcome| {
            let own = asked.client_secret().map(|own| own.to_lowercase());
            let sent = asked.form_field("client_secret").map(|sent| sent.to_lowercase());
            let is_alike = asked.is(TOKEN) && own.is_some() && own == sent;
            if is_alike { issued(asked, outcome, "read") } else { outcome }
        }),
    ),
    row(
        "token.secret-trimmed",
        "4.1",
        &["token.wrong-secret-refused"],
        "The secret of a client is compared without the spaces around it.",
        Seam::Answer(|asked, outcome| {
            let sent = asked.form_field("client_secret").unwrap_or_default();
            let is_alike = asked.client_secret().is_some_and(|own| own == sent.trim());
            let is_padded = asked.is(TOKEN) && is_alike && sent != sent.trim();
            if is_padded { issued(asked, outcome, "read") } else { outcome }
        }),
    ),
    row(
        "token.repeated-parameter-taken",
        "4.1",
        &["oauth.parameter-once"],
        "A token request that repeats the grant type gets a token.",
        Seam::Answer(|asked, outcome| {
            let is_repeated = asked.is(TOKEN) && asked.form_count("grant_type") > 1;
            if is_repeated { issued(asked, outcome, "read") } else { outcome }
        }),
    ),
    row(
        "token.unsupported-method-code",
        "7",
        &["token.unsupported-method-refused"],
        "A client that authenticates by an unsupported method is refused with `access_denied`.",
        Seam::Answer(|asked, outcome| {
            let is_other = asked.form_field("client_secret").is_none()
                || asked.call.head.headers.contains_key(http::header::AUTHORIZATION);
            if asked.is(TOKEN) && is_other && !outcome.is_taken() {
                forge::token_failure(asked, 401, "access_denied")
            } else {
                outcome
            }
        }),
    )
    .also(&["token.client-secret-required", "token.client-authentication-required"]),
    row(
        "token-failure.problem",
        "7",
        &["errors.token-endpoint-body", "token-failure.shape"],
        "A token failure has the body of a problem.",
        token_failures("/error", Edit::Rename("type")),
    )
    .also(&[
        "token-failure.error-is-string",
        "token.client-id-required",
        "token.client-secret-required",
        "token.client-authentication-required",
        "token.unknown-client-refused",
        "token.wrong-secret-refused",
        "token.unsupported-method-refused",
        "token.grant-type-error-code",
        "token.grant-type-missing-error-code",
    ]),
    row(
        "token-failure.error-empty",
        "7",
        &["token-failure.error-is-string"],
        "The error of a token failure is empty.",
        token_failures("/error", Edit::Text("")),
    )
    .also(&[
        "token-failure.shape",
        "token.client-id-required",
        "token.client-secret-required",
        "token.client-authentication-required",
        "token.unknown-client-refused",
        "token.wrong-secret-refused",
        "token.unsupported-method-refused",
        "token.grant-type-error-code",
        "token.grant-type-missing-error-code",
    ]),
    row(
        "token-failure.description-missing",
        "7",
        &["token-failure.description-is-string", "token-failure.shape"],
        "A token failure has no description.",
        token_failures("/error_description", Edit::Drop),
    )
    .also(&["errors.token-endpoint-body"]),
    row(
        "token-failure.with-token",
        "4.1",
        &["token-failure.no-token"],
        "A token failure carries an access token all the same.",
        token_failures("", Edit::Put("access_token", "a-token-of-nobody")),
    )
    .also(&["token-failure.shape"]),
];

fn rename_error(response: &mut crate::message::response::Response, error: &str) {
    super::edit::rewrite(response, |body| {
        if let Some(member) = body.get_mut("error")
            && member == error
        {
            *member = "invalid_grant".into();
        }
    });
}
