//! Does the answer carry a valid `Date` (RFC 9110 §6.6.1), that of a clock which does not go back?

use std::time::{SystemTime, UNIX_EPOCH};

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit = Implicit { name: "date", verifies: &["http.date"], judge };

fn judge(answered: &AnsweredExchange<'_>, context: &ImplicitContext) -> Vec<ImplicitJudgement> {
    // The standard leaves server errors free of it.
    if answered.status() >= 500 {
        return Vec::new();
    }
    let expected = "Date: an HTTP-date";
    let judgement = match answered.header("date") {
        None => {
            Judgement::fails(MismatchKind::Absent, "the answer has no `Date`", expected, "absent")
        }
        Some(date) => match httpdate::parse_http_date(&date) {
            Ok(time) => runs_on(answered, context, time, date),
            Err(_) => {
                Judgement::fails(MismatchKind::Format, "`Date` is not an HTTP-date", expected, date)
            }
        },
    };
    found("http.date", judgement.in_part(AnswerPart::Header("date".to_owned())))
}

/// The clock of a service may be wrong, and somebody may put it forward. It does not go back by more than this.
const BACK_SECONDS_MAX: i64 = 24 * 60 * 60;

fn runs_on(
    answered: &AnsweredExchange<'_>,
    context: &ImplicitContext,
    time: SystemTime,
    date: String,
) -> Judgement {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let ahead = i64::try_from(since).unwrap_or(i64::MAX) - answered.exchange.sent_at_seconds;
    let first = context.dates.or_remember(answered.base(), "date", ahead);
    if ahead >= first - BACK_SECONDS_MAX {
        return Judgement::Holds;
    }
    let message = "`Date` is more than a day before that of an earlier answer";
    Judgement::fails(MismatchKind::TooFar, message, "the time of the answer", date)
}
