//! Finds the value at a place of a document. [`super::matcher`] judges it.

use serde_json::{Map, Value};
use serde_json_path::JsonPath;
use sha2::{Digest, Sha256};

use super::Document;
use crate::scenario::model::{AnswerPlace, Place, Text};
use crate::scenario::names::Names;

/// The value at a place.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceValue {
    /// One value, or none.
    One(Option<Value>),
    /// The values that a JSONPath found, in order. There may be none.
    Many(Vec<Value>),
}

/// The value at `place`.
///
/// [`Place::Schema`] has no value.
///
/// # Errors
/// A name in the place has no value, or its value makes a JSONPath invalid.
pub fn find(place: &Place, document: &Document, names: &Names) -> Result<PlaceValue, String> {
    let json = document.json.as_deref();
    Ok(match place {
        Place::Status => PlaceValue::One(document.status.map(Value::from)),
        Place::Problem => PlaceValue::One(json.and_then(|json| json.get("type")).cloned()),
        Place::Schema => PlaceValue::One(None),
        Place::Body => PlaceValue::One(Some(whole_body(document))),
        Place::Digest => PlaceValue::One(document.status.map(|_| digest(document))),
        Place::Endpoint => PlaceValue::One(document.endpoint.clone()),
        Place::Header(name) => PlaceValue::One(document.header(name).map(Value::String)),
        Place::Pointer(text) => {
            let pointer = pointer_text(text, names)?;
            PlaceValue::One(json.and_then(|json| json.pointer(&pointer)).cloned())
        }
        Place::Path(text) => {
            let path = parse_path(text, names)?;
            let found = json.map(|json| path.query(json).all().into_iter().cloned().collect());
            PlaceValue::Many(found.unwrap_or_default())
        }
    })
}

/// The value of an observation: the value at a place, or an object of the values that are present.
/// `None` if there is none.
pub fn observed(place: &AnswerPlace, document: &Document, names: &Names) -> Option<Value> {
    let members = match place {
        AnswerPlace::Whole(place) => return value(place, document, names),
        AnswerPlace::Members(members) => members,
    };
    let found = members.iter().filter_map(|(name, place)| {
        Some((name.render_text(names).ok()?, value(place, document, names)?))
    });
    let found: Map<String, Value> = found.collect();
    (!found.is_empty()).then_some(Value::Object(found))
}

/// The value at `place`, a list for a JSONPath. `None` if there is no value.
pub fn value(place: &Place, document: &Document, names: &Names) -> Option<Value> {
    match find(place, document, names).ok()? {
        PlaceValue::One(value) => value,
        PlaceValue::Many(values) => Some(Value::Array(values)),
    }
}

/// The JSON Pointer of a value at or below the place. `tail` is the pointer from the place; for a
/// JSONPath it begins with an index into the list of values.
pub(crate) fn pointer(
    place: &Place,
    tail: &str,
    document: &Document,
    names: &Names,
) -> Option<String> {
    match place {
        Place::Pointer(text) => Some(format!("{}{tail}", pointer_text(text, names).ok()?)),
        Place::Path(text) => {
            let (index, rest) = split_tail(tail)?;
            let path = parse_path(text, names).ok()?;
            let located = path.query_located(document.json.as_deref()?);
            let found = located.iter().nth(index)?;
            Some(format!("{}{rest}", found.location().to_json_pointer()))
        }
        Place::Body => (!tail.is_empty()).then(|| tail.to_owned()),
        Place::Problem => Some("/type".to_owned()),
        Place::Status | Place::Schema | Place::Digest | Place::Endpoint | Place::Header(_) => None,
    }
}

/// The JSON Pointer of the member for whose absence a JSONPath of names and `[*]` finds nothing. The first item stands
/// for the others.
pub(super) fn absent_member(place: &Place, document: &Document, names: &Names) -> Option<String> {
    let Place::Path(text) = place else { return None };
    let path = path_text(text, names).ok()?;
    let mut value = document.json.as_deref()?;
    let mut pointer = String::new();
    for segment in path.strip_prefix("$.")?.split('.') {
        let name = segment.strip_suffix("[*]").unwrap_or(segment);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_plain) {
            return None;
        }
        pointer.push_str(&format!("/{name}"));
        let Some(member) = value.get(name) else { return Some(pointer) };
        value = member;
        if name != segment {
            pointer.push_str("/0");
            value = value.as_array()?.first()?;
        }
    }
    None
}

/// The place in words, with the values of its names.
pub(super) fn in_words(place: &Place, names: &Names) -> String {
    match place {
        Place::Status => "the status".to_owned(),
        Place::Problem => "the problem type".to_owned(),
        Place::Schema | Place::Body => "the body".to_owned(),
        Place::Digest => "the digest of the body".to_owned(),
        Place::Endpoint => "the endpoint".to_owned(),
        Place::Header(name) => format!("the header `{name}`"),
        Place::Pointer(text) => format!("`{}`", pointer_text(text, names).unwrap_or_default()),
        Place::Path(text) => format!("`{}`", path_text(text, names).unwrap_or_default()),
    }
}

/// Splits `/3/rest` into the index and the rest.
fn split_tail(tail: &str) -> Option<(usize, &str)> {
    let tail = tail.strip_prefix('/')?;
    let end = tail.find('/').unwrap_or(tail.len());
    Some((tail[..end].parse().ok()?, &tail[end..]))
}

/// The body as JSON, or as text if it is not JSON.
fn whole_body(document: &Document) -> Value {
    match &document.json {
        Some(json) => json.as_ref().clone(),
        None => Value::String(String::from_utf8_lossy(&document.body).into_owned()),
    }
}

fn digest(document: &Document) -> Value {
    document.digest.clone().map_or_else(|| digest_of(&document.body), Value::String)
}

/// SHA-256 in hexadecimal digits, as `sha256sum` prints it.
pub(super) fn digest_of(bytes: &[u8]) -> Value {
    Value::String(format!("{:x}", Sha256::digest(bytes)))
}

fn pointer_text(text: &Text, names: &Names) -> Result<String, String> {
    render(text, names, |value| value.replace('~', "~0").replace('/', "~1"))
}

fn path_text(text: &Text, names: &Names) -> Result<String, String> {
    // A name is inside single quotes, where these two characters end or change the literal.
    render(text, names, |value| value.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn render(text: &Text, names: &Names, escape: fn(&str) -> String) -> Result<String, String> {
    text.render_escaped(names, escape).map_err(|unknown| unknown.to_string())
}

fn parse_path(text: &Text, names: &Names) -> Result<JsonPath, String> {
    let path = path_text(text, names)?;
    JsonPath::parse(&path)
        .map_err(|error| format!("`{path}` is not a JSONPath: {}", error.message()))
}
