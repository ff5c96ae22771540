//! Is a problem sent with the media type of problems (RFC 9457 §3)?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "problem media type", verifies: &["errors.media-type"], judge };

const PROBLEM: &str = "application/problem+json";

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if !seen.is_problem_due() {
        return Vec::new();
    }
    let judgement = match seen.media_type().as_deref() {
        Some(PROBLEM) => Judgement::Holds,
        // Allowed by `problem_content_type`, and worth a look.
        Some(other @ "application/json") => failed(other).tolerated(),
        Some(other) => failed(other),
        None => failed("absent"),
    };
    found("errors.media-type", judgement)
}

fn failed(actual: &str) -> Judgement {
    Judgement::fails("an error is not sent as a problem", PROBLEM, actual)
}
