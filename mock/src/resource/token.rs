//! The token response (§2.8).

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;

use crate::message::rendered::append_number;
use crate::value::token::Grant;

/// Enough for any.
const BODY_BYTES: usize = 192;

/// The body. Written by hand, since it is on the path of every token call and none of its texts can
/// need an escape.
pub(crate) fn body(token: &str, grant: &Grant) -> Vec<u8> {
    let mut body = Vec::with_capacity(BODY_BYTES);
    body.extend_from_slice(br#"{"access_token":""#);
    body.extend_from_slice(token.as_bytes());
    body.extend_from_slice(br#"","token_type":"Bearer","expires_in":"#);
    append_number(TOKEN_LIFETIME_SECONDS, &mut body);
    body.extend_from_slice(br#","scope":""#);
    body.extend_from_slice(grant.scopes.as_str().as_bytes());
    body.extend_from_slice(br#"","created_at":"#);
    append_number(grant.issued_at, &mut body);
    body.push(b'}');
    body
}
