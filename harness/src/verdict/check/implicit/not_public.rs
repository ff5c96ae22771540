//! May no shared cache give the answer to a call with a token to others (RFC 9111 §3.5)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "not public", verifies: &["http.not-public"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let has_token =
        answered.exchange.request.headers.iter().any(|(name, _)| name == "authorization");
    if !has_token || !answered.takes_token() {
        return Vec::new();
    }
    let value = answered.header("cache-control").unwrap_or_default();
    let is_public = value.split(',').map(str::trim).any(|directive| {
        let name = directive.split('=').next().unwrap_or(directive);
        name.eq_ignore_ascii_case("public") || name.eq_ignore_ascii_case("s-maxage")
    });
    let judgement = if is_public {
        let message = "shared caches may store the answer to a call with a token";
        Judgement::fails(MismatchKind::Value, message, "no `public`, no `s-maxage`", value)
            .in_part(AnswerPart::Header("cache-control".to_owned()))
    } else {
        Judgement::Holds
    };
    found("http.not-public", judgement)
}
