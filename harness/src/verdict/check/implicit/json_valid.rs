//! Does a body that is sent as JSON parse, as UTF-8, with no member twice (RFC 8259 §2, §4, §8.1)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::document::is_json;
use crate::verdict::check::sound_json;

pub(super) const ROW: Implicit = Implicit { name: "valid JSON", verifies: &["json.valid"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let is_sent_as_json = answered.media_type().is_some_and(|media_type| is_json(&media_type));
    // Without a body (204, HEAD) nothing was sent as JSON. The body of the limiter is free.
    let body = answered.whole_body().filter(|body| !body.is_empty());
    match body {
        Some(body) if is_sent_as_json && !answered.is_limit() => {
            found("json.valid", sound_json::judge(body))
        }
        _ => Vec::new(),
    }
}
