//! Does a token response forbid that it is stored (RFC 6749 §5.1)?

use moot_fixtures::contract::Operation;

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;

pub(super) const ROW: Implicit =
    Implicit { name: "no-store", verifies: &["oauth.no-store"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    if seen.operation() != Some(Operation::CreateAccessToken) || !seen.is_success() {
        return Vec::new();
    }
    let value = seen.header("cache-control");
    let is_forbidden = value
        .iter()
        .flat_map(|value| value.split(','))
        .any(|directive| directive.trim().eq_ignore_ascii_case("no-store"));
    let judgement = if is_forbidden {
        Judgement::Holds
    } else {
        let actual = value.unwrap_or_else(|| "absent".to_owned());
        Judgement::fails("a token response may be stored", "Cache-Control: no-store", actual)
    };
    found("oauth.no-store", judgement)
}
