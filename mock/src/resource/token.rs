//! The token response (§2.8).

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;

use crate::token::Grant;

/// The body. Written by hand, since it is on the path of every token call and none of its texts can
/// need an escape.
pub(crate) fn body(token: &str, grant: &Grant) -> Vec<u8> {
    let (expires_in, created_at) =
        (TOKEN_LIFETIME_SECONDS.to_string(), grant.issued_at.to_string());
    // Of one piece: `format!` would take thrice as long.
    let body = [
        r#"{"access_token":""#,
        token,
        r#"","token_type":"Bearer","expires_in":"#,
        &expires_in,
        r#","scope":""#,
        grant.scopes.as_str(),
        r#"","created_at":"#,
        &created_at,
        "}",
    ];
    body.concat().into_bytes()
}
