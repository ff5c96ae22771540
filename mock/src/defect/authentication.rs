//! Defects of bearer tokens and scopes (§5).

use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::Operation;

use super::Defect;
use super::arriving::Arriving;
use super::row::row;
use super::seam::Seam;
use crate::message::call::{Admission, Principal};
use crate::state::change::Change;
use crate::value::token::Grant;

pub(super) const ROWS: &[Defect] = &[
    row(
        "bearer.missing-taken",
        "5",
        &["authentication.missing-401"],
        "A call without token is served.",
        Seam::Admit(|arriving, admission| {
            let is_missing = !arriving.head.headers.contains_key(AUTHORIZATION);
            if is_missing { anybody(arriving, admission, "invalid_token") } else { admission }
        }),
    )
    .also(&["errors.invalid-token", "create-legal-request.error-401"]),
    row(
        "bearer.missing-taken-at-activity",
        "5",
        &["authentication.missing-401"],
        "The activity of a request is told without a token.",
        Seam::Admit(|arriving, admission| {
            let is_missing = !arriving.head.headers.contains_key(AUTHORIZATION);
            let is_meant = is_missing && arriving.head.path.ends_with("/activity");
            if is_meant { anybody(arriving, admission, "invalid_token") } else { admission }
        }),
    ),
    row(
        "bearer.invalid-taken",
        "5",
        &["authentication.invalid-401"],
        "A token that was never issued is accepted.",
        Seam::Admit(|arriving, admission| {
            let is_bearer = arriving.bearer().is_some() && arriving.grant().is_none();
            if is_bearer { anybody(arriving, admission, "invalid_token") } else { admission }
        }),
    )
    .also(&["authentication.altered-401", "errors.invalid-token"]),
    row(
        "bearer.altered-taken",
        "5",
        &["authentication.altered-401"],
        "Only the beginning of a token is compared.",
        Seam::Admit(|arriving, admission| {
            let start = arriving.bearer().and_then(|token| token.get(..TOKEN_LENGTH));
            let grant = start.and_then(|token| arriving.world.sealer().open(token));
            let principal = grant.and_then(|grant| arriving.principal(grant));
            match (Arriving::problem(&admission), principal) {
                (Some("invalid_token"), Some(principal)) => {
                    arriving.let_in(Some(principal), admission)
                }
                _ => admission,
            }
        }),
    ),
    row(
        "bearer.malformed-taken",
        "5",
        &["authentication.malformed-401"],
        "An `Authorization` of another scheme is taken for a token.",
        Seam::Admit(|arriving, admission| {
            let is_other =
                arriving.head.headers.contains_key(AUTHORIZATION) && arriving.bearer().is_none();
            if is_other { anybody(arriving, admission, "invalid_token") } else { admission }
        }),
    )
    .also(&["errors.invalid-token"]),
    row(
        "bearer.expired-taken",
        "5",
        &["authentication.expired-401", "authentication.expired-at-7200", "errors.token-expired"],
        "An expired token is accepted.",
        Seam::Admit(|arriving, admission| past(arriving, admission, "token_expired")),
    ),
    row(
        "bearer.expires-a-second-late",
        "5",
        &["authentication.expired-at-7200"],
        "A token is accepted at exactly 7,200 seconds of age.",
        Seam::Admit(|arriving, admission| {
            let age = arriving.grant().map(|grant| age_seconds(arriving.now, grant));
            if age == Some(7200) { past(arriving, admission, "token_expired") } else { admission }
        }),
    ),
    row(
        "bearer.expires-after-an-hour",
        "5",
        &["authentication.valid-before-7200"],
        "A token expires after 3,600 seconds.",
        Seam::Admit(|arriving, admission| {
            let age = arriving.grant().map_or(0, |grant| age_seconds(arriving.now, grant));
            if age < 3600 {
                return admission;
            }
            let later = arriving.now.checked_add(SignedDuration::from_secs(3600));
            arriving.world.admit_unhooked(later.unwrap_or(arriving.now), arriving.head)
        }),
    ),
    row(
        "bearer.revoked-taken",
        "5",
        &["authentication.revoked-401", "errors.token-revoked", "authentication.revoked-at-once"],
        "A revoked token is accepted.",
        Seam::Admit(|arriving, admission| past(arriving, admission, "token_revoked")),
    ),
    row(
        "bearer.revocation-lost",
        "5",
        &["authentication.revoked-at-once"],
        "The revocation of a token is accepted and forgotten.",
        Seam::Apply(|_, changes| {
            let is_kept = |change: &Change| !matches!(change, Change::RevokeToken { .. });
            changes.into_iter().filter(is_kept).collect()
        }),
    )
    .also(&["authentication.revoked-401", "errors.token-revoked"]),
    row(
        "bearer.scheme-in-one-case",
        "5",
        &["oauth.scheme-in-any-case"],
        "Only the scheme `Bearer` in this very case is taken.",
        Seam::Admit(|arriving, admission| {
            let sent = arriving.head.headers.get(AUTHORIZATION);
            let is_exact = sent.is_none_or(|sent| sent.as_bytes().starts_with(b"Bearer "));
            match admission {
                Admission::Admitted(admitted) if admitted.principal.is_some() && !is_exact => {
                    arriving.as_if_invalid()
                }
                Admission::Admitted(_) | Admission::Refused(_) => admission,
            }
        }),
    ),
    row(
        "bearer.no-challenge",
        "5",
        &["oauth.challenge"],
        "A 401 carries no challenge.",
        Seam::Reply(|_, response| response.headers.retain(|(name, _)| *name != WWW_AUTHENTICATE)),
    ),
    row(
        "scope.write-not-needed",
        "5",
        &["authentication.write-scope-required", "authentication.insufficient-scope-403"],
        "A token without scope `write` may write.",
        Seam::Admit(|arriving, admission| past(arriving, admission, "insufficient_scope")),
    )
    .also(SCOPE_ROWS),
    row(
        "scope.create-not-guarded",
        "5",
        &["authentication.write-scope-required"],
        "A token without scope `write` may create a request.",
        Seam::Admit(|arriving, admission| {
            past_at(arriving, admission, Operation::CreateLegalRequest)
        }),
    )
    .also(SCOPE_ROWS),
    row(
        "scope.upload-not-guarded",
        "4.9",
        &["create-repository-document.requires-write"],
        "A token without scope `write` may upload a document.",
        Seam::Admit(|arriving, admission| {
            past_at(arriving, admission, Operation::CreateRepositoryDocument)
        }),
    )
    .also(SCOPE_ROWS),
    row(
        "scope.delete-not-guarded",
        "4.13",
        &["delete-webhook.requires-write"],
        "A token without scope `write` may delete a webhook.",
        Seam::Admit(|arriving, admission| past_at(arriving, admission, Operation::DeleteWebhook)),
    )
    .also(SCOPE_ROWS),
    row(
        "scope.read-application-writes",
        "5",
        &["authentication.read-application-cannot-write"],
        "A token of an application that is scoped to read alone may write.",
        Seam::Admit(|arriving, admission| {
            let principal = arriving.grant().and_then(|grant| {
                let application = arriving.world.seeded().application(grant.application)?;
                (!application.scopes.write).then(|| arriving.principal(grant))?
            });
            match principal.is_some() {
                true => past(arriving, admission, "insufficient_scope"),
                false => admission,
            }
        }),
    )
    .also(&["token.read-scope-cannot-write"]),
    row(
        "scope.write-token-invalid",
        "5",
        &["authentication.write-token-is-valid"],
        "A token with scope `write` alone is called invalid by reading endpoints.",
        Seam::Admit(|arriving, admission| {
            let is_writer = arriving.grant().is_some_and(|grant| !grant.scopes.read);
            let is_refused = Arriving::problem(&admission) == Some("insufficient_scope");
            if is_writer && is_refused { arriving.as_if_invalid() } else { admission }
        }),
    ),
    row(
        "scope.insufficient-is-401",
        "5",
        &["authentication.insufficient-scope-403", "errors.insufficient-scope"],
        "A token that lacks the scope is called invalid.",
        Seam::Admit(|arriving, admission| {
            match Arriving::problem(&admission) == Some("insufficient_scope") {
                true => arriving.as_if_invalid(),
                false => admission,
            }
        }),
    )
    .also(SCOPE_ROWS),
];

const SCOPE_ROWS: &[&str] = &[
    "authentication.write-scope-required",
    "authentication.insufficient-scope-403",
    "authentication.read-application-cannot-write",
    "authentication.write-token-is-valid",
    "token.read-scope-cannot-write",
    "token.write-scope-writes",
    "create-legal-request.error-403",
    "create-repository-document.requires-write",
    "delete-webhook.requires-write",
    "delete-webhook.succeeds",
    "errors.insufficient-scope",
];

/// Characters of a token.
const TOKEN_LENGTH: usize = 50;

fn age_seconds(now: Timestamp, grant: Grant) -> i64 {
    now.as_second().saturating_sub(grant.issued_at)
}

/// Lets a call in that was refused for this reason, as that of its token's application.
fn past(arriving: &Arriving<'_>, admission: Admission, problem: &str) -> Admission {
    let principal = arriving.grant().and_then(|grant| arriving.principal(grant));
    match (Arriving::problem(&admission) == Some(problem), principal) {
        (true, Some(principal)) => arriving.let_in(Some(principal), admission),
        _ => admission,
    }
}

/// Lets calls of one operation in that lack a scope.
fn past_at(arriving: &Arriving<'_>, admission: Admission, operation: Operation) -> Admission {
    if arriving.operation() == Some(operation) {
        past(arriving, admission, "insufficient_scope")
    } else {
        admission
    }
}

/// Lets a call in that was refused for this reason, as that of the first application.
fn anybody(arriving: &Arriving<'_>, admission: Admission, problem: &str) -> Admission {
    let Some(first) = arriving.world.seeded().application(0) else { return admission };
    if Arriving::problem(&admission) != Some(problem) {
        return admission;
    }
    let principal = Principal { application: 0, company: first.company, scopes: first.scopes };
    arriving.let_in(Some(principal), admission)
}
