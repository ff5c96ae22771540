//! Defects that hostile input brings about: what a client sends makes the service fail (§7).

use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::json;

use super::Defect;
use super::arriving::Arriving;
use super::asked::Asked;
use super::edit;
use super::row::row;
use super::seam::Seam;
use crate::message::call::{Admission, Body, Head, Part};
use crate::message::content::ContentPlace;
use crate::message::problem::Problem;
use crate::world::Outcome;

/// What such a service still bears in an identifier or a parameter, in bytes.
const WORD_BYTES_MAX: usize = 90;
/// Where nothing is.
const NOWHERE: &str = "/v1/nowhere";

pub(super) const ROWS: &[Defect] = &[
    row(
        "hostile.trailing-slash-is-500",
        "7",
        &["errors.never-5xx"],
        "A slash at the end of a path makes the service fail.",
        Seam::Admit(|arriving, admission| match arriving.head.path.ends_with('/') {
            true => failed(arriving, admission),
            false => admission,
        }),
    ),
    row(
        "hostile.head-is-500",
        "7",
        &["errors.never-5xx"],
        "HEAD makes the service fail.",
        Seam::Admit(|arriving, admission| match arriving.head.method == Method::HEAD {
            true => failed(arriving, admission),
            false => admission,
        }),
    ),
    row(
        "hostile.options-is-500",
        "7",
        &["errors.never-5xx"],
        "OPTIONS makes the service fail.",
        Seam::Admit(|arriving, admission| match arriving.head.method == Method::OPTIONS {
            true => failed(arriving, admission),
            false => admission,
        }),
    ),
    row(
        "hostile.parameter-twice-is-500",
        "7",
        &["errors.never-5xx"],
        "A query parameter that is there twice makes the service fail.",
        Seam::Answer(|asked, outcome| fails_where(asked, outcome, has_parameter_twice)),
    ),
    row(
        "hostile.field-twice-is-500",
        "7",
        &["errors.never-5xx"],
        "A field of a body that is there twice makes the service fail.",
        Seam::Answer(|asked, outcome| fails_where(asked, outcome, has_field_twice)),
    ),
    row(
        "hostile.long-word-is-500",
        "7",
        &["errors.never-5xx"],
        "An identifier or a parameter of more than 90 bytes makes the service fail.",
        Seam::Answer(|asked, outcome| fails_where(asked, outcome, has_long_word)),
    ),
    row(
        "hostile.unicode-is-500",
        "7",
        &["errors.never-5xx"],
        "An identifier, a parameter or a name beyond ASCII makes the service fail.",
        Seam::Answer(|asked, outcome| fails_where(asked, outcome, has_unicode)),
    )
    .also(&[
        "create-legal-request.support-documents-any-format",
        "create-legal-request.support-documents-repeat",
    ]),
];

/// 500 in the place of an answer, where nothing was changed.
fn fails_where(asked: &Asked<'_>, outcome: Outcome, is_hostile: fn(&Asked<'_>) -> bool) -> Outcome {
    if !is_hostile(asked) {
        return outcome;
    }
    let operation = asked.call.admitted.operation;
    let problem = Problem::injected(operation, StatusCode::INTERNAL_SERVER_ERROR, "internal_error");
    Outcome::unchanged(asked.world.refuse(asked.now, asked.call, &problem))
}

/// 500 before anything is looked at.
fn failed(arriving: &Arriving<'_>, admission: Admission) -> Admission {
    let head = arriving.head;
    let elsewhere = Head { method: &Method::GET, path: NOWHERE, ..*head };
    let refused = arriving.world.admit_unhooked(arriving.now, &elsewhere);
    let Admission::Refused(mut response) = refused else { return admission };
    response.status = StatusCode::INTERNAL_SERVER_ERROR;
    edit::rewrite(&mut response, |body| {
        let instance = body["instance"].as_str().unwrap_or_default().replace(NOWHERE, head.path);
        for (name, value) in [
            ("type", json!("internal_error")),
            ("title", json!("Internal Server Error")),
            ("status", json!(500)),
            ("instance", json!(instance)),
        ] {
            body[name] = value;
        }
    });
    Admission::Refused(response)
}

fn has_parameter_twice(asked: &Asked<'_>) -> bool {
    is_any_twice(parameters(asked).into_iter().map(|(name, _)| name))
}

/// Fields whose names end with `[]` are lists.
fn has_field_twice(asked: &Asked<'_>) -> bool {
    let names: Vec<String> = match &asked.call.body {
        Body::Multipart(parts) => parts.iter().map(|part| part.name.clone()).collect(),
        Body::Whole(bytes) => {
            form_urlencoded::parse(bytes).map(|(name, _)| name.into_owned()).collect()
        }
        Body::Empty | Body::Broken(_) => Vec::new(),
    };
    is_any_twice(names.into_iter().filter(|name| !name.ends_with("[]")))
}

fn has_long_word(asked: &Asked<'_>) -> bool {
    words(asked).iter().any(|word| word.len() > WORD_BYTES_MAX)
}

fn has_unicode(asked: &Asked<'_>) -> bool {
    let texts = asked.parts().iter().flat_map(|part| [text(part), part.file_name.clone()]);
    words(asked).into_iter().chain(texts.flatten()).any(|word| !word.is_ascii())
}

/// The identifier in its path, and the values of its parameters, decoded.
fn words(asked: &Asked<'_>) -> Vec<String> {
    let decoded = |text: &String| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let id = asked.call.admitted.id.as_ref().map(decoded);
    parameters(asked).into_iter().map(|(_, value)| value).chain(id).collect()
}

fn parameters(asked: &Asked<'_>) -> Vec<(String, String)> {
    let query = asked.call.head.query.unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// What a part holds that is no file, as far as it is text; of a file nothing.
fn text(part: &Part) -> Option<String> {
    match &part.content.place {
        ContentPlace::Memory(bytes) if part.file_name.is_none() => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
        ContentPlace::Memory(_) | ContentPlace::File { .. } | ContentPlace::Apart => None,
    }
}

fn is_any_twice(names: impl IntoIterator<Item = String>) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().any(|name| !seen.insert(name))
}
