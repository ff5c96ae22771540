//! Is a JSON body sent with a JSON media type (RFC 9110 §8.3)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::document::is_json;
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "JSON media type", verifies: &["http.json-media-type"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    // A number or a word is JSON by chance; an object or an array is meant.
    let is_meant = answered.response.json.as_deref().is_some_and(|j| j.is_object() || j.is_array());
    if !is_meant || answered.is_limit() {
        return Vec::new();
    }
    let expected = "application/json, or a type with the suffix +json";
    let judgement = match answered.media_type() {
        Some(media_type) if is_json(&media_type) => Judgement::Holds,
        Some(media_type) => {
            let message = "a JSON body is sent with another media type";
            Judgement::fails(MismatchKind::MediaType, message, expected, media_type)
        }
        None => {
            let message = "a JSON body is sent without a media type";
            Judgement::fails(MismatchKind::Absent, message, expected, "absent")
        }
    };
    let part = AnswerPart::Header("content-type".to_owned());
    found("http.json-media-type", judgement.in_part(part))
}
