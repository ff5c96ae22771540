//! The token response (§2.8).

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;

use crate::token::Grant;

/// The body. Written by hand, since it is on the path of every token call and none of its texts can
/// need an escape.
pub(crate) fn body(token: &str, grant: &Grant) -> Vec<u8> {
    let scope = grant.scopes.as_str();
    let created_at = grant.issued_at;
    format!(
        r#"{{"access_token":"{token}","token_type":"Bearer","expires_in":{TOKEN_LIFETIME_SECONDS},"scope":"{scope}","created_at":{created_at}}}"#
    )
    .into_bytes()
}
