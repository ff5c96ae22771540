//! Does a 401 of an operation that takes a token carry a Bearer challenge (RFC 6750 §3)?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "Bearer challenge", verifies: &["oauth.challenge"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if seen.status() != 401 || !seen.takes_token() {
        return Vec::new();
    }
    let expected = "WWW-Authenticate: Bearer …";
    let judgement = match seen.header("www-authenticate") {
        None => Judgement::fails("a 401 has no `WWW-Authenticate`", expected, "absent"),
        Some(challenges) if has_bearer(&challenges) => Judgement::Holds,
        Some(challenges) => {
            Judgement::fails("a 401 challenges for another scheme", expected, challenges)
        }
    };
    found("oauth.challenge", judgement)
}

/// Whether one of the challenges is of the scheme Bearer, in any case.
fn has_bearer(challenges: &str) -> bool {
    challenges.split(',').any(|part| {
        let scheme = part.split_whitespace().next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("bearer")
    })
}
