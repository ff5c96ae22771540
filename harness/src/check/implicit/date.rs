//! Does the answer carry a valid `Date` (RFC 9110 §6.6.1)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit = Implicit { name: "date", verifies: &["http.date"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    // The standard leaves server errors free of it.
    if answered.status() >= 500 {
        return Vec::new();
    }
    let expected = "Date: an HTTP-date";
    let judgement = match answered.header("date") {
        None => {
            Judgement::fails(MismatchKind::Absent, "the answer has no `Date`", expected, "absent")
        }
        Some(date) if httpdate::parse_http_date(&date).is_ok() => Judgement::Holds,
        Some(date) => {
            Judgement::fails(MismatchKind::Format, "`Date` is not an HTTP-date", expected, date)
        }
    };
    found("http.date", judgement.in_part(AnswerPart::Header("date".to_owned())))
}
