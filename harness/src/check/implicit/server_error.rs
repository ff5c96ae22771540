//! Is the answer no server error, whatever was sent?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "server error", verifies: &["errors.never-5xx"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    let failed = || Judgement::fails("a server error", "no 5xx", seen.status().to_string());
    let judgement = match seen.status() {
        // The limiter may answer so (`rate_limit_response`), and a service that is away, too.
        503 => return Vec::new(),
        // These are said by a gateway about the service: trouble, perhaps of the service's making.
        502 | 504 => failed().tolerated(),
        500..=599 => failed(),
        _ => Judgement::Holds,
    };
    found("errors.never-5xx", judgement)
}
