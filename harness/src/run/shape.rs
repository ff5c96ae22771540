//! The shape of a control: the step's own, with what the control replaces.

use crate::scenario::model::{Json, Multipart, RequestBody, RequestShape, Text};

/// `own` with everything that `control` names in its place; maps merge by key.
pub(super) fn merged(own: &RequestShape, control: &RequestShape) -> RequestShape {
    RequestShape {
        line: control.line.clone().or_else(|| own.line.clone()),
        token: control.token.clone().or_else(|| own.token.clone()),
        application: control.application.clone().or_else(|| own.application.clone()),
        query: merged_map(&own.query, &control.query),
        headers: merged_map(&own.headers, &control.headers),
        body: match (&own.body, &control.body) {
            (Some(RequestBody::Form(ours)), Some(RequestBody::Form(theirs))) => {
                Some(RequestBody::Form(merged_map(ours, theirs)))
            }
            (Some(RequestBody::Multipart(ours)), Some(RequestBody::Multipart(theirs))) => {
                Some(RequestBody::Multipart(merged_multipart(ours, theirs)))
            }
            (Some(RequestBody::Json(ours)), Some(RequestBody::Json(theirs))) => {
                Some(RequestBody::Json(merged_json(ours, theirs)))
            }
            (ours, None) => ours.clone(),
            (_, Some(theirs)) => Some(theirs.clone()),
        },
    }
}

fn merged_map(own: &[(Text, Json)], control: &[(Text, Json)]) -> Vec<(Text, Json)> {
    let mut entries = own.to_vec();
    for (key, value) in control {
        match entries.iter_mut().find(|(known, _)| known.pieces == key.pieces) {
            Some(entry) => entry.1 = value.clone(),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    entries
}

fn merged_json(own: &Json, control: &Json) -> Json {
    match (own, control) {
        (Json::Map(ours), Json::Map(theirs)) => Json::Map(merged_map(ours, theirs)),
        (Json::Map(_) | Json::List(_) | Json::Text(_) | Json::Fixed(_), theirs) => theirs.clone(),
    }
}

fn merged_multipart(own: &Multipart, control: &Multipart) -> Multipart {
    Multipart {
        from_schema: control.from_schema.clone().or_else(|| own.from_schema.clone()),
        set: merged_map(&own.set, &control.set),
        append: merged_map(&own.append, &control.append),
        omit: control.omit.clone().or_else(|| own.omit.clone()),
        parts: control.parts.clone().or_else(|| own.parts.clone()),
    }
}
