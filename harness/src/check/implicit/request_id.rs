//! Is the `request_id` of a failed call its own?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "request id", verifies: &["errors.request-id-unique"], judge };

fn judge(seen: &Seen<'_>, context: &ImplicitContext) -> Vec<Finding> {
    let Some(problem) = seen.problem() else { return Vec::new() };
    let id = problem.get("request_id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
    let Some(id) = id else { return Vec::new() };
    let judgement = match context.first_with(seen.base(), id, seen.exchange.number) {
        None => Judgement::Holds,
        Some(first) => Judgement::fails(
            format!("the `request_id` is that of call {first} of this run"),
            "an identifier of its own",
            id,
        )
        .at("/request_id"),
    };
    found("errors.request-id-unique", judgement)
}
