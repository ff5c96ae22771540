//! Is a problem one of this call, and not of another?

use super::{AnsweredExchange, ImplicitContext};
use crate::verdict::check::shown::shortened;
use crate::verdict::check::{Judgement, MismatchKind};

/// Does `detail` explain this error, and not any error (RFC 9457 §3.1.4)?
pub(super) fn detail(
    answered: &AnsweredExchange<'_>,
    context: &ImplicitContext,
) -> Option<Judgement> {
    let problem = answered.problem()?;
    let detail = problem.get("detail")?.as_str().filter(|detail| !detail.is_empty())?;
    let problem_type = problem.get("type")?.as_str()?;
    let first = context.details.or_remember(answered.base(), detail, problem_type.to_owned());
    if first == problem_type {
        return Some(Judgement::Holds);
    }
    let fails = Judgement::fails(
        MismatchKind::Duplicate,
        format!("the `detail` of a `{problem_type}` is that of a `{first}`"),
        "an explanation of this error",
        shortened(detail),
    );
    Some(fails.at("/detail"))
}

/// Is the `request_id` of a failed call its own?
pub(super) fn request_id(
    answered: &AnsweredExchange<'_>,
    context: &ImplicitContext,
) -> Option<Judgement> {
    let id = answered.problem()?.get("request_id")?.as_str().filter(|id| !id.is_empty())?;
    let number = answered.exchange.number;
    let first = context.request_ids.or_remember(answered.base(), id, number);
    if first == number {
        return Some(Judgement::Holds);
    }
    let fails = Judgement::fails(
        MismatchKind::Duplicate,
        format!("the `request_id` is the one of call {first} of this run again"),
        "an id that no other answer has",
        id,
    );
    Some(fails.at("/request_id"))
}
