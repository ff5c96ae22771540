//! Defects of the token endpoint (§4.1): scopes that are granted, secrets that are compared badly.

use http::header::AUTHORIZATION;
use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use super::CodeRow;
use super::DefectCode::Answer;
use crate::defect::call::AdmittedCall;
use crate::defect::{edit, record};
use crate::value::message::call::Body;
use crate::world::Outcome;

const TOKEN: Operation = Operation::CreateAccessToken;

pub(super) const ROWS: &[CodeRow] = &[
    ("token.always-read-write", Answer(grant_all)),
    ("token.read-only", Answer(read_only)),
    ("token.writer-defaults-to-write", Answer(writer_defaults_to_write)),
    ("token.scope-beyond-granted", Answer(scope_beyond_granted)),
    ("token.scope-unknown-granted", Answer(scope_unknown_granted)),
    ("token.unknown-client-code", Answer(unknown_client_code)),
    ("token.secret-in-any-case", Answer(secret_in_any_case)),
    ("token.secret-trimmed", Answer(secret_trimmed)),
    ("token.unsupported-method-code", Answer(unsupported_method_code)),
    ("token.created-at-constant", Answer(created_at_constant)),
    ("problem.secret-repeated", Answer(secret_repeated)),
    ("token.scope-as-asked-counts", Answer(default_scope_writes)),
    ("webhook.secret-listed", Answer(secret_listed)),
];

/// How long `token.created-at-constant` goes without reading its clock.
const CLOCK_READ_SECONDS: i64 = 120;

fn created_at_constant(call: &AdmittedCall<'_>, mut outcome: Outcome) -> Outcome {
    if call.is(TOKEN) && outcome.is_success() {
        edit::rewrite(&mut outcome.response, |body| {
            let at = body["created_at"].as_i64().unwrap_or_default();
            let since = (at + CLOCK_READ_SECONDS / 2).rem_euclid(CLOCK_READ_SECONDS);
            body["created_at"] = Value::from(at - since);
        });
    }
    outcome
}

fn secret_repeated(call: &AdmittedCall<'_>, mut outcome: Outcome) -> Outcome {
    if call.is(TOKEN) && !outcome.is_success() {
        let secret = call.field("client_secret").unwrap_or_default();
        edit::rewrite(&mut outcome.response, |body| {
            body["error_description"] = Value::from(format!("The secret {secret} is refused."));
        });
    }
    outcome
}

/// Grants every scope of the application, where the core grants some.
fn grant_all(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let Some((_, client)) = call.client().filter(|_| call.is(TOKEN) && outcome.is_success()) else {
        return outcome;
    };
    record::token(call, outcome, client.scopes.as_str())
}

fn writer_defaults_to_write(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    match call.field("scope") {
        Some(_) => outcome,
        None => grant_all(call, outcome),
    }
}

/// A token without a requested scope is called one of `read`, and carries both scopes.
fn default_scope_writes(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    if !call.is(TOKEN) || !outcome.is_success() || call.field("scope").is_some() {
        return outcome;
    }
    let mut outcome = record::token(call, outcome, "read write");
    edit::rewrite(&mut outcome.response, |body| body["scope"] = Value::from("read"));
    outcome
}

fn secret_listed(call: &AdmittedCall<'_>, mut outcome: Outcome) -> Outcome {
    let Body::Whole(payload) = &call.call.body else { return outcome };
    if call.is(Operation::CreateWebhook) && outcome.is_success() {
        let payload: Value = serde_json::from_slice(payload).unwrap_or_default();
        edit::rewrite(&mut outcome.response, |body| {
            body["data"]["attributes"]["token"] = payload["token"].clone();
        });
    }
    outcome
}

/// The response names the scope that was granted; the token does not carry it.
fn read_only(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    if !call.is(TOKEN) || !outcome.is_success() {
        return outcome;
    }
    let mut scope = Value::Null;
    let mut granted = outcome.response.clone();
    edit::rewrite(&mut granted, |body| scope = body["scope"].take());
    let mut outcome = record::token(call, outcome, "read");
    edit::rewrite(&mut outcome.response, |body| body["scope"] = scope);
    outcome
}

fn scope_beyond_granted(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let scope = call.field("scope").filter(|_| call.is(TOKEN));
    match scope.filter(|scope| scope.parse::<Scopes>().is_ok()) {
        Some(scope) => record::token(call, outcome, &scope),
        None => outcome,
    }
}

fn scope_unknown_granted(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let scope = call.field("scope").filter(|_| call.is(TOKEN));
    let Some(scope) = scope.filter(|scope| scope.parse::<Scopes>().is_err()) else {
        return outcome;
    };
    let mut granted = record::token(call, outcome, "read");
    edit::rewrite(&mut granted.response, |body| body["scope"] = scope.into());
    granted
}

fn unknown_client_code(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let is_unknown = call.field("client_id").is_some() && call.client().is_none();
    match call.is(TOKEN) && is_unknown && !outcome.is_success() {
        true => record::token_refusal(call, 401, "unauthorized_client"),
        false => outcome,
    }
}

fn secret_in_any_case(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let own = call.client_secret().map(|own| own.to_lowercase());
    let sent = call.field("client_secret").map(|sent| sent.to_lowercase());
    match call.is(TOKEN) && own.is_some() && own == sent {
        true => record::token(call, outcome, "read"),
        false => outcome,
    }
}

fn secret_trimmed(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let sent = call.field("client_secret").unwrap_or_default();
    let is_own = call.client_secret().is_some_and(|own| own == sent.trim());
    match call.is(TOKEN) && is_own && sent != sent.trim() {
        true => record::token(call, outcome, "read"),
        false => outcome,
    }
}

fn unsupported_method_code(call: &AdmittedCall<'_>, outcome: Outcome) -> Outcome {
    let is_other =
        call.field("client_secret").is_none() || call.call.head.headers.contains_key(AUTHORIZATION);
    match call.is(TOKEN) && is_other && !outcome.is_success() {
        true => record::token_refusal(call, 401, "access_denied"),
        false => outcome,
    }
}
