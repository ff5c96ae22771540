//! Does a 405 list the methods of the path in `Allow` (RFC 9110 §15.5.6)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "Allow", verifies: &["http.allow-on-405"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.status() != 405 {
        return Vec::new();
    }
    // The list may be empty: a path may take no method at all.
    let judgement = match answered.header("allow") {
        Some(_) => Judgement::Holds,
        None => {
            let expected = "Allow: the methods of the path";
            Judgement::fails(MismatchKind::Absent, "a 405 has no `Allow`", expected, "absent")
                .in_part(AnswerPart::Header("allow".to_owned()))
        }
    };
    found("http.allow-on-405", judgement)
}
