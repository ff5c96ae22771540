//! Does a 401 of an operation that takes a token carry a Bearer challenge (RFC 6750 §3)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "Bearer challenge", verifies: &["oauth.challenge"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.status() != 401 || !answered.takes_token() {
        return Vec::new();
    }
    let expected = "WWW-Authenticate: Bearer …";
    let judgement = match answered.header("www-authenticate") {
        None => {
            let message = "a 401 has no `WWW-Authenticate`";
            Judgement::fails(MismatchKind::Absent, message, expected, "absent")
        }
        Some(challenges) if has_bearer(&challenges) => Judgement::Holds,
        Some(challenges) => {
            let message = "a 401 asks for another scheme than Bearer";
            Judgement::fails(MismatchKind::Value, message, expected, challenges)
        }
    };
    let part = AnswerPart::Header("www-authenticate".to_owned());
    found("oauth.challenge", judgement.in_part(part))
}

/// Whether one of the challenges is of the scheme Bearer, in any case.
fn has_bearer(challenges: &str) -> bool {
    challenges.split(',').any(|part| {
        let scheme = part.split_whitespace().next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("bearer")
    })
}
