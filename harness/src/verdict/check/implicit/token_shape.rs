//! Has an answer of the token endpoint the body of a token or of a token failure (§2.8, §4.1)?

use moot_fixtures::contract::Operation;

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::schema;

pub(super) const ROW: Implicit = Implicit {
    name: "token body",
    verifies: &["token.response-shape", "token-failure.shape"],
    judge,
};

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.operation() != Some(Operation::CreateAccessToken) || answered.whole_body().is_none()
    {
        return Vec::new();
    }
    let document = answered.document();
    match answered.status() {
        200..=299 => found("token.response-shape", schema::judge("token", &document)),
        400..=499 if !answered.is_limit() => {
            found("token-failure.shape", schema::judge("token_failure", &document))
        }
        _ => Vec::new(),
    }
}
