//! Is the `request_id` of a failed call its own?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "request id", verifies: &["errors.request-id-unique"], judge };

fn judge(answered: &AnsweredExchange<'_>, context: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Some(problem) = answered.problem() else { return Vec::new() };
    let id = problem.get("request_id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
    let Some(id) = id else { return Vec::new() };
    let number = answered.exchange.number;
    let first = context.request_ids.or_remember(answered.base(), id, number);
    let judgement = if first == number {
        Judgement::Holds
    } else {
        Judgement::fails(
            MismatchKind::Duplicate,
            format!("the `request_id` is the one of call {first} of this run again"),
            "an id that no other answer has",
            id,
        )
        .at("/request_id")
    };
    found("errors.request-id-unique", judgement)
}
