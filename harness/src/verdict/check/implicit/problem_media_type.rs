//! Is a problem sent with the media type of problems (RFC 9457 §3)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "problem media type", verifies: &["errors.media-type"], judge };

const PROBLEM: &str = "application/problem+json";

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if !answered.is_problem_due() {
        return Vec::new();
    }
    let judgement = match answered.media_type().as_deref() {
        Some(PROBLEM) => Judgement::Holds,
        // Allowed by `problem_content_type`, and worth a look.
        Some(other @ "application/json") => failed(other).tolerated(),
        Some(other) => failed(other),
        None => failed("absent"),
    };
    found("errors.media-type", judgement)
}

fn failed(actual: &str) -> Judgement {
    Judgement::fails(MismatchKind::MediaType, "an error is not sent as a problem", PROBLEM, actual)
        .in_part(AnswerPart::Header("content-type".to_owned()))
}
