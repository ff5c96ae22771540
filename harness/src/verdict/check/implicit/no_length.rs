//! Has a 204 no `Content-Length` (RFC 9110 §8.6)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "no length", verifies: &["http.no-length-on-204"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.status() != 204 {
        return Vec::new();
    }
    let judgement = match answered.header("content-length") {
        None => Judgement::Holds,
        Some(length) => {
            let message = "a 204 has a `Content-Length`";
            Judgement::fails(MismatchKind::Present, message, "absent", length)
                .in_part(AnswerPart::Header("content-length".to_owned()))
        }
    };
    found("http.no-length-on-204", judgement)
}
