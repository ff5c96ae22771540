//! Does `detail` explain this error, and not any error (RFC 9457 §3.1.4)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::shown::shortened;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "problem detail", verifies: &["errors.detail-of-this-error"], judge };

fn judge(answered: &AnsweredExchange<'_>, context: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Some(problem) = answered.problem() else { return Vec::new() };
    let text = |name: &str| problem.get(name).and_then(|value| value.as_str());
    let (Some(detail), Some(problem_type)) = (text("detail"), text("type")) else {
        return Vec::new();
    };
    if detail.is_empty() {
        return Vec::new();
    }
    let first = context.details.or_remember(answered.base(), detail, problem_type.to_owned());
    let judgement = if first == problem_type {
        Judgement::Holds
    } else {
        Judgement::fails(
            MismatchKind::Duplicate,
            format!("the `detail` of a `{problem_type}` is that of a `{first}`"),
            "an explanation of this error",
            shortened(detail),
        )
        .at("/detail")
    };
    found("errors.detail-of-this-error", judgement)
}
