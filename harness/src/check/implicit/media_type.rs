//! Is a JSON body sent with a JSON media type (RFC 9110 §8.3)?

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::Judgement;
use crate::check::document::is_json;

pub(super) const ROW: Implicit =
    Implicit { name: "JSON media type", verifies: &["http.json-media-type"], judge };

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    // A number or a word is JSON by chance; an object or an array is meant.
    let is_meant = seen.response.json.as_deref().is_some_and(|j| j.is_object() || j.is_array());
    if !is_meant || seen.is_limit() {
        return Vec::new();
    }
    let expected = "application/json, or a type with the suffix +json";
    let judgement = match seen.media_type() {
        Some(media_type) if is_json(&media_type) => Judgement::Holds,
        Some(media_type) => {
            Judgement::fails("a JSON body is sent as something else", expected, media_type)
        }
        None => Judgement::fails("a JSON body is sent without a media type", expected, "absent"),
    };
    found("http.json-media-type", judgement)
}
