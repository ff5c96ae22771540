//! Is the answer no server error, whatever was sent?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind, sentence};

pub(super) const ROW: Implicit =
    Implicit { name: "server error", verifies: &["errors.never-5xx"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let failed = || {
        let message = sentence::of_server_error(&answered.document());
        let status = answered.status().to_string();
        Judgement::fails(MismatchKind::ServerError, message, "no 5xx", status)
            .in_part(AnswerPart::Status)
    };
    let judgement = match answered.status() {
        // The limiter may answer so (`rate_limit_response`), and a service that is away, too.
        503 => return Vec::new(),
        // These are said by a gateway about the service: trouble, perhaps of the service's making.
        502 | 504 => failed().tolerated(),
        500..=599 => failed(),
        _ => Judgement::Holds,
    };
    found("errors.never-5xx", judgement)
}
