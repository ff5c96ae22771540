//! Defects of the token endpoint (§4.1), and secrets in responses.

use moot_fixtures::contract::{Operation, Scopes};
use serde_json::Value;

use super::DefectCode::{self, Answer};
use crate::defect::call::DefectCall;
use crate::defect::{edit, record};
use crate::value::message::call::Body;
use crate::world::Outcome;

const TOKEN: Operation = Operation::CreateAccessToken;

pub(super) const ROWS: &[(&str, DefectCode)] = &[
    ("token.read-only", Answer(read_only)),
    ("token.scope-unknown-granted", Answer(scope_unknown_granted)),
    ("token.unknown-client-code", Answer(unknown_client_code)),
    ("token.secret-in-any-case", Answer(secret_in_any_case)),
    ("token.secret-trimmed", Answer(secret_trimmed)),
    ("problem.secret-repeated", Answer(secret_repeated)),
    ("token.scope-as-asked-counts", Answer(default_scope_writes)),
    ("webhook.secret-listed", Answer(secret_listed)),
];

fn secret_repeated(call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
    if call.is(TOKEN) && !outcome.is_success() {
        let secret = call.field("client_secret").unwrap_or_default();
        edit::rewrite(&mut outcome.response, |body| {
            body["error_description"] = Value::from(format!("The secret {secret} is refused."));
        });
    }
    outcome
}

/// Grants both scopes to a request without `scope`, and reports only `read`.
fn default_scope_writes(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    if !call.is(TOKEN) || !outcome.is_success() || call.field("scope").is_some() {
        return outcome;
    }
    let mut outcome = record::token(call, outcome, "read write");
    edit::rewrite(&mut outcome.response, |body| body["scope"] = Value::from("read"));
    outcome
}

fn secret_listed(call: &DefectCall<'_>, mut outcome: Outcome) -> Outcome {
    let Body::Whole(payload) = &call.call.body else { return outcome };
    if call.is(Operation::CreateWebhook) && outcome.is_success() {
        let payload: Value = serde_json::from_slice(payload).unwrap_or_default();
        edit::rewrite(&mut outcome.response, |body| {
            body["data"]["attributes"]["token"] = payload["token"].clone();
        });
    }
    outcome
}

/// Reports the granted scopes, but grants only `read`.
fn read_only(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
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

fn scope_unknown_granted(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let scope = call.field("scope").filter(|_| call.is(TOKEN));
    let Some(scope) = scope.filter(|scope| scope.parse::<Scopes>().is_err()) else {
        return outcome;
    };
    let mut granted = record::token(call, outcome, "read");
    edit::rewrite(&mut granted.response, |body| body["scope"] = scope.into());
    granted
}

fn unknown_client_code(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let is_unknown = call.field("client_id").is_some() && call.client().is_none();
    match call.is(TOKEN) && is_unknown && !outcome.is_success() {
        true => record::token_refusal(call, 401, "unauthorized_client"),
        false => outcome,
    }
}

fn secret_in_any_case(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let own = call.client_secret().map(|own| own.to_lowercase());
    let sent = call.field("client_secret").map(|sent| sent.to_lowercase());
    match call.is(TOKEN) && own.is_some() && own == sent {
        true => record::token(call, outcome, "read"),
        false => outcome,
    }
}

fn secret_trimmed(call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let sent = call.field("client_secret").unwrap_or_default();
    let is_own = call.client_secret().is_some_and(|own| own == sent.trim());
    match call.is(TOKEN) && is_own && sent != sent.trim() {
        true => record::token(call, outcome, "read"),
        false => outcome,
    }
}
