//! Acts on tokens (§4.1, §5): asked for, altered, and used where they must be refused.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

use super::act::{TokenFlaw, Unusable};
use super::steps::{literal, one};

/// Asks for a token, soundly or not.
pub(super) fn token(flaw: Option<&TokenFlaw>) -> Value {
    let mut form = Map::from_iter([
        ("grant_type".to_owned(), Value::from("client_credentials")),
        ("client_id".to_owned(), "<target.main.client_id>".into()),
        ("client_secret".to_owned(), "<target.main.client_secret>".into()),
        ("scope".to_owned(), "read".into()),
    ]);
    let refused = json!({ "status": { "min": 400, "max": 499 } });
    let invalid_client = json!({
        "status": { "min": 400, "max": 499 }, "/error": "invalid_client",
    });
    let (name, row, expected) = match flaw {
        None => ("a token", "token.success-status", json!({ "status": 200, "/scope": "read" })),
        Some(TokenFlaw::Omitted(field)) => {
            form.remove(*field);
            let (row, expected) = match *field {
                "grant_type" => ("token.grant-type-required", refused),
                "client_id" => ("token.client-id-required", invalid_client),
                _ => ("token.client-secret-required", invalid_client),
            };
            ("a token without a field", row, expected)
        }
        Some(TokenFlaw::GrantType(text)) => {
            form.insert("grant_type".to_owned(), literal(text));
            ("a token by another grant", "token.grant-type-must-be-client-credentials", refused)
        }
        Some(TokenFlaw::Secret(text)) => {
            form.insert("client_secret".to_owned(), literal(text));
            ("a token for a wrong secret", "token.wrong-secret-refused", invalid_client)
        }
        Some(TokenFlaw::Client(text)) => {
            form.insert("client_id".to_owned(), literal(text));
            ("a token for nobody", "token.unknown-client-refused", invalid_client)
        }
        Some(TokenFlaw::Scope(text)) => {
            form.insert("scope".to_owned(), literal(text));
            let expected = json!({
                "status": { "min": 200, "max": 499 },
                "$.scope": { "none": { "equals": literal(text) } },
            });
            ("a token of no scope", "token.scope-unknown-not-granted", expected)
        }
    };
    let mut expect = one(row, expected);
    match flaw {
        None => {
            expect["token.lifetime-7200"] = json!({ "/expires_in": 7200 });
            expect["token.scope-as-asked"] = json!({ "/scope": "read" });
            expect["token.type-bearer"] = json!({ "/token_type": "Bearer" });
        }
        Some(TokenFlaw::Scope(_)) => {}
        Some(
            TokenFlaw::Omitted(_)
            | TokenFlaw::GrantType(_)
            | TokenFlaw::Secret(_)
            | TokenFlaw::Client(_),
        ) => {
            expect["token-failure.no-token"] = json!({ "/access_token": { "present": false } });
        }
    }
    json!({ "name": name, "request": "POST /oauth/token", "form": form, "expect": expect })
}

/// Calls an operation with what is no token for it.
pub(super) fn denied(operation: Operation, token: &Unusable) -> Value {
    let invalid = |problem: &str| json!({ "status": 401, "problem": problem });
    let (words, choice, row, expected) = match token {
        Unusable::Missing => {
            ("without a token", "none", "authentication.missing-401", invalid("invalid_token"))
        }
        Unusable::Unknown(_) => {
            ("with nobody's token", "none", "authentication.invalid-401", invalid("invalid_token"))
        }
        Unusable::Malformed(_) => (
            "with no bearer token",
            "none",
            "authentication.malformed-401",
            invalid("invalid_token"),
        ),
        Unusable::Expired => (
            "with an expired token",
            "expired",
            "authentication.expired-401",
            invalid("token_expired"),
        ),
        Unusable::Revoked => (
            "with a revoked token",
            "revoked",
            "authentication.revoked-401",
            invalid("token_revoked"),
        ),
        // Only a call that is sound but for its scope must be refused for that: which of two
        // faults is answered is open (`check_order`).
        Unusable::ReadOnly if operation == Operation::CreateRepositoryDocument => (
            "with a token that may only read",
            "read",
            "authentication.insufficient-scope-403",
            json!({ "status": 403, "problem": "insufficient_scope" }),
        ),
        Unusable::ReadOnly => (
            "with a token that may only read",
            "read",
            "authentication.write-scope-required",
            json!({ "status": { "min": 400, "max": 499 } }),
        ),
    };
    let mut step = json!({
        "name": format!("{} {words}", operation.as_str()),
        "request": operation.as_str(),
        "token": choice,
        "expect": one(row, expected),
    });
    if operation.path().contains("{id}") {
        step["id"] = "unknown1".into();
    }
    match token {
        Unusable::Unknown(text) => {
            step["headers"] = json!({ "authorization": format!("Bearer {text}") });
        }
        Unusable::Malformed(header) => step["headers"] = json!({ "authorization": header }),
        Unusable::ReadOnly if operation == Operation::CreateRepositoryDocument => {
            step["multipart"] = json!({ "parts": [{ "name": "file", "file": "agreement.pdf" }] });
        }
        Unusable::ReadOnly | Unusable::Missing | Unusable::Expired | Unusable::Revoked => {}
    }
    step
}

/// A token as it was issued opens a list, with something added it opens nothing.
pub(super) fn altered() -> Vec<Value> {
    let mut issue = token(None);
    issue["capture"] = json!({ "issued": "/access_token" });
    let call = |name: &str, header: &str, row: &str, expected: Value| {
        json!({
            "name": name, "request": "GET /v1/workflows", "token": "none",
            "headers": { "authorization": header }, "expect": one(row, expected),
        })
    };
    let refused = || json!({ "status": 401, "problem": "invalid_token" });
    vec![
        issue,
        call(
            "a list with a scheme in lower case",
            "bearer <issued>",
            "oauth.scheme-in-any-case",
            json!({ "status": 200 }),
        ),
        call(
            "a list with more than the token",
            "Bearer <issued>x",
            "authentication.altered-401",
            refused(),
        ),
        call(
            "a list with something before the token",
            "Bearer x<issued>",
            "authentication.altered-401",
            refused(),
        ),
    ]
}
