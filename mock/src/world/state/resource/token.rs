//! The token response (§2.8).

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use serde_json::{Value, json};

use crate::value::token::Grant;

/// The JSON of the response for a granted token.
pub(crate) fn token_json(token: &str, grant: &Grant) -> Value {
    json!({
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": TOKEN_LIFETIME_SECONDS,
        "scope": grant.scopes.as_str(),
        "created_at": grant.issued_at,
    })
}
