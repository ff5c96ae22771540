//! The token response (§2.8).

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use serde::Serialize;

use crate::value::token::Grant;

/// The JSON of the response for a granted token.
#[derive(Debug, Serialize)]
pub(crate) struct TokenJson<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    scope: &'static str,
    created_at: i64,
}

impl<'a> TokenJson<'a> {
    pub(crate) fn new(token: &'a str, grant: &Grant) -> Self {
        Self {
            access_token: token,
            token_type: "Bearer",
            expires_in: TOKEN_LIFETIME_SECONDS,
            scope: grant.scopes.as_str(),
            created_at: grant.issued_at,
        }
    }
}
