//! Acts on tokens (§4.1, §5): requested, altered, and used where they must be refused.

use http::Method;
use moot_fixtures::contract::{Operation, TokenNeed};
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::menu::Menu;
use crate::explore::act::Act;
use crate::explore::inputs::PLAIN_ID;
use crate::explore::steps::{client_error, one};

pub(super) fn add(menu: &mut Menu) {
    menu.add_reading(1, Just(vec![token()]));
    menu.add_reading(2, refused_token().prop_map(|step| vec![step]));
    menu.add_reading(1, Just(altered()));
    let denied: Vec<Act> = denied().into_iter().filter(|act| menu.allows(act)).collect();
    menu.add(4, select(denied));
}

fn token_call(name: &str, field: (&str, Option<Value>)) -> Value {
    let mut form = Map::from_iter([
        ("grant_type".to_owned(), Value::from("client_credentials")),
        ("client_id".to_owned(), "<target.main.client_id>".into()),
        ("client_secret".to_owned(), "<target.main.client_secret>".into()),
        ("scope".to_owned(), "read".into()),
    ]);
    match field {
        (name, Some(value)) => form.insert(name.to_owned(), value),
        (name, None) => form.remove(name),
    };
    json!({ "name": name, "request": "POST /oauth/token", "form": form })
}

/// Requests a token.
fn token() -> Value {
    let mut step = token_call("a token", ("scope", Some("read".into())));
    step["expect"] = json!({
        "token.success-status": { "status": 200, "/scope": "read" },
        "token.lifetime-7200": { "/expires_in": 7200 },
        "token.scope-as-asked": { "/scope": "read" },
        "token.type-bearer": { "/token_type": "Bearer" },
    });
    step
}

/// Requests a token with one field that is missing or wrong.
fn refused_token() -> impl Strategy<Value = Value> {
    let omitted = select(vec![
        ("grant_type", "token.grant-type-required"),
        ("client_id", "token.client-id-required"),
        ("client_secret", "token.client-secret-required"),
    ]);
    let wrong = select(vec![
        ("grant_type", "token.grant-type-must-be-client-credentials"),
        ("client_id", "token.unknown-client-refused"),
        ("client_secret", "token.wrong-secret-refused"),
    ]);
    prop_oneof![
        2 => omitted.prop_map(|(field, row)| refused("a token without a field", (field, None), row)),
        3 => (wrong, PLAIN_ID).prop_map(|((field, row), text)| {
            refused("a token with a wrong field", (field, Some(text.into())), row)
        }),
    ]
}

fn refused(name: &str, field: (&str, Option<Value>), row: &str) -> Value {
    let mut expected = client_error();
    if field.0 != "grant_type" {
        expected["/error"] = "invalid_client".into();
    }
    let mut step = token_call(name, field);
    step["expect"] = one(row, expected);
    step["expect"]["token-failure.no-token"] = json!({ "/access_token": { "present": false } });
    step
}

/// A token opens a list as it was issued, and opens nothing with a letter added.
fn altered() -> Vec<Value> {
    let mut issue = token();
    issue["capture"] = json!({ "issued": "/access_token" });
    let call = |name: &str, header: &str, row: &str, expected: Value| {
        json!({
            "name": name, "request": "GET /v1/workflows", "token": "none",
            "headers": { "authorization": header }, "expect": one(row, expected),
        })
    };
    let refused = json!({ "status": 401, "problem": "invalid_token" });
    let altered = "authentication.altered-401";
    let same = ("bearer <issued>", "oauth.scheme-in-any-case", json!({ "status": 200 }));
    vec![
        issue,
        call("a list with the scheme in lower case", same.0, same.1, same.2),
        call("a list with a longer token", "Bearer <issued>x", altered, refused.clone()),
        call("a list with a token that begins otherwise", "Bearer x<issued>", altered, refused),
    ]
}

/// Every operation that takes a bearer token, with each kind of token that it must refuse.
fn denied() -> Vec<Act> {
    let invalid = |problem: &str| json!({ "status": 401, "problem": problem });
    // Words, token of the step, header, row, what the answer must be.
    let kinds = [
        ("without a token", "none", None, "missing-401", invalid("invalid_token")),
        (
            "with a token that nobody issued",
            "none",
            Some("Bearer unknownUnknown1234567890"),
            "invalid-401",
            invalid("invalid_token"),
        ),
        (
            "with no token after the scheme",
            "none",
            Some("Bearer"),
            "malformed-401",
            invalid("invalid_token"),
        ),
        (
            "with another scheme",
            "none",
            Some("Basic bW9vdDptb290"),
            "malformed-401",
            invalid("invalid_token"),
        ),
        ("with an expired token", "expired", None, "expired-401", invalid("token_expired")),
        ("with a revoked token", "revoked", None, "revoked-401", invalid("token_revoked")),
        ("with a token that may only read", "read", None, "write-scope-required", client_error()),
    ];
    // Whether a download takes a token is open. A path with an id would have two faults, since no known
    // object is at hand: which one is answered is open (`check_order`).
    let bearers = Operation::ALL.into_iter().filter(|operation| {
        operation.token() != TokenNeed::None
            && *operation != Operation::DownloadAgreement
            && !operation.path().contains("{id}")
    });
    bearers
        .flat_map(|operation| {
            kinds.clone().into_iter().filter_map(move |kind| {
                // §5.4 names the operations that need the scope `write`.
                let needs_write = matches!(
                    operation,
                    Operation::CreateLegalRequest
                        | Operation::CreateRepositoryDocument
                        | Operation::DeleteWebhook
                );
                (kind.1 != "read" || needs_write).then(|| denied_call(operation, kind))
            })
        })
        .collect()
}

fn denied_call(
    operation: Operation,
    (words, token, header, row, expected): (&str, &str, Option<&str>, &str, Value),
) -> Act {
    let mut step = json!({
        "name": format!("{} {words}", operation.as_str()),
        "request": operation.as_str(), "token": token,
        "expect": one(&format!("authentication.{row}"), expected),
    });
    if let Some(header) = header {
        step["headers"] = json!({ "authorization": header });
    }
    // Which of two faults is answered is open (`check_order`). Only this call has no other fault.
    if token == "read" && operation == Operation::CreateRepositoryDocument {
        step["multipart"] = json!({ "parts": [{ "name": "file", "file": "agreement.pdf" }] });
        let expected = json!({ "status": 403, "problem": "insufficient_scope" });
        step["expect"] = one("authentication.insufficient-scope-403", expected);
    }
    let mut needs = vec!["read"];
    needs.extend(match operation.method() {
        Method::GET => &[][..],
        Method::DELETE => &["write", "delete"],
        _ => &["write"],
    });
    needs.extend(match token {
        "expired" => Some("expired_token"),
        "revoked" => Some("revoked_token"),
        _ => None,
    });
    // A target that wrongly accepts the call creates an object.
    let creations = u32::from(operation.method() == Method::POST);
    Act { needs, creations, ..Act::reading(vec![step]) }
}
