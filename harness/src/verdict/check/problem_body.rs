//! Is the body of an error a problem, by its media type?

use super::document::{is_json, media_type};
use super::{Document, Judgement, MismatchKind, ResponsePart, sentence};

/// The failure of a body that is not a JSON object, and is not sent as JSON. It is the same mismatch as that of
/// `errors.media-type`, so that both are one finding.
pub(super) fn mislabelled(document: &Document) -> Option<Judgement> {
    let media_type = media_type(&document.headers);
    if document.json.as_ref().is_some_and(|json| json.is_object())
        || media_type.as_deref().is_some_and(is_json)
    {
        return None;
    }
    let status = document.status.map(|status| format!(" ({status})")).unwrap_or_default();
    let fails = Judgement::fails(
        MismatchKind::MediaType,
        format!("{}the body is not a problem{status}", sentence::in_response(document)),
        "a body of application/problem+json",
        media_type.unwrap_or_else(|| "absent".to_owned()),
    );
    Some(fails.in_part(ResponsePart::Header("content-type".to_owned())))
}
