//! Does a 405 list the methods of the path in `Allow` (RFC 9110 §15.5.6)?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "Allow", verifies: &["http.allow-on-405"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if seen.status() != 405 {
        return Vec::new();
    }
    // The list may be empty: a path may take no method at all.
    let judgement = match seen.header("allow") {
        Some(_) => Judgement::Holds,
        None => {
            Judgement::fails("a 405 has no `Allow`", "Allow: the methods of the path", "absent")
        }
    };
    found("http.allow-on-405", judgement)
}
