//! Has the answer to a deletion no body (§4.13)?

use moot_fixtures::contract::Operation;

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::shown::shortened;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "no body", verifies: &["delete-webhook.no-body"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.operation() != Some(Operation::DeleteWebhook) || !answered.is_success() {
        return Vec::new();
    }
    let body = &answered.response.body;
    let judgement = if body.is_empty() {
        Judgement::Holds
    } else {
        let actual = shortened(&String::from_utf8_lossy(body));
        {
            let message = "the answer to a deletion has a body";
            Judgement::fails(MismatchKind::Present, message, "an empty body", actual)
        }
    };
    found("delete-webhook.no-body", judgement)
}
