//! Has an answer of the token endpoint the body of a token or of a token failure (§2.8, §4.1)?

use moot_fixtures::contract::Operation;

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::schema;

pub(super) const ROW: Implicit = Implicit {
    name: "token body",
    verifies: &["token.response-shape", "token-failure.shape"],
    judge,
};

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if seen.operation() != Some(Operation::CreateAccessToken) || seen.whole_body().is_none() {
        return Vec::new();
    }
    let body = seen.response.json.as_deref();
    match seen.status() {
        200..=299 => found("token.response-shape", schema::judge("token", body)),
        400..=499 if !seen.is_limit() => {
            found("token-failure.shape", schema::judge("token_failure", body))
        }
        _ => Vec::new(),
    }
}
