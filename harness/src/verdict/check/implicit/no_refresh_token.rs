//! Has a token response no refresh token (RFC 6749 §4.4.3)?

use moot_fixtures::contract::Operation;

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "no refresh token", verifies: &["oauth.no-refresh-token"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Some(body) = answered.response.json.as_deref() else { return Vec::new() };
    if answered.operation() != Some(Operation::CreateAccessToken) || !answered.is_success() {
        return Vec::new();
    }
    let judgement = match body.get("refresh_token") {
        None | Some(serde_json::Value::Null) => Judgement::Holds,
        Some(_) => {
            let message = "a client that has credentials is given a refresh token";
            Judgement::fails(MismatchKind::Present, message, "no refresh_token", "refresh_token")
                .at("/refresh_token")
        }
    };
    found("oauth.no-refresh-token", judgement)
}
