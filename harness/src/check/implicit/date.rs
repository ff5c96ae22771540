//! Does the answer carry a valid `Date` (RFC 9110 §6.6.1)?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit = Implicit { name: "date", verifies: &["http.date"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    // The standard leaves server errors free of it.
    if seen.status() >= 500 {
        return Vec::new();
    }
    let expected = "Date: an HTTP-date";
    let judgement = match seen.header("date") {
        None => Judgement::fails("the answer has no `Date`", expected, "absent"),
        Some(date) if httpdate::parse_http_date(&date).is_ok() => Judgement::Holds,
        Some(date) => Judgement::fails("`Date` is no HTTP-date", expected, date),
    };
    found("http.date", judgement)
}
