//! Does an answer repeat no secret: no client secret, and no token but a new one (RFC 6750 §5.3)?

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "secrets", verifies: &["oauth.no-secret-repeated"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Some(body) = answered.whole_body().filter(|body| !body.is_empty()) else {
        return Vec::new();
    };
    // A download may hold anything.
    if answered.operation() == Some(Operation::DownloadAgreement) {
        return Vec::new();
    }
    let text = match (answered.operation(), answered.response.json.as_deref()) {
        (Some(Operation::CreateAccessToken), Some(Value::Object(members))) => {
            let others = members.iter().filter(|(name, _)| *name != "access_token");
            others.map(|(_, value)| format!("{value}\n")).collect()
        }
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    let judgement = match answered.exchange.masks.within(&text).labelled().first() {
        None => Judgement::Holds,
        Some((_, label)) => {
            let message = "the answer repeats a secret of the client";
            Judgement::fails(MismatchKind::Forbidden, message, "no secret", format!("[{label}]"))
        }
    };
    found("oauth.no-secret-repeated", judgement)
}
