//! Does a token response forbid that it is stored (RFC 6749 §5.1)?

use moot_fixtures::contract::Operation;

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "no-store", verifies: &["oauth.no-store"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    if answered.operation() != Some(Operation::CreateAccessToken) || !answered.is_success() {
        return Vec::new();
    }
    let value = answered.header("cache-control");
    let is_forbidden = value
        .iter()
        .flat_map(|value| value.split(','))
        .any(|directive| directive.trim().eq_ignore_ascii_case("no-store"));
    let judgement = if is_forbidden {
        Judgement::Holds
    } else {
        let actual = value.unwrap_or_else(|| "absent".to_owned());
        let message = "a token response may be stored";
        Judgement::fails(MismatchKind::Value, message, "Cache-Control: no-store", actual)
            .in_part(AnswerPart::Header("cache-control".to_owned()))
    };
    found("oauth.no-store", judgement)
}
