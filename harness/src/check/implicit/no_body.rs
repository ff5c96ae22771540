//! Has the answer to a deletion no body (§4.13)?

use moot_fixtures::contract::Operation;

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;
use crate::check::shown::shortened;

pub(super) const ROW: Implicit =
    Implicit { name: "no body", verifies: &["delete-webhook.no-body"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if seen.operation() != Some(Operation::DeleteWebhook) || !seen.is_success() {
        return Vec::new();
    }
    let body = &seen.response.body;
    let judgement = if body.is_empty() {
        Judgement::Holds
    } else {
        let actual = shortened(&String::from_utf8_lossy(body));
        Judgement::fails("the answer to a deletion has a body", "an empty body", actual)
    };
    found("delete-webhook.no-body", judgement)
}
