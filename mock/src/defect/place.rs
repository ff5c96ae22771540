//! Places of a response to which an operator is applied.

use http::header::HeaderName;
use serde::Deserialize;
use serde_json::Value;

/// A place of a response. Text form: `status`, `body`, `header:NAME`, or a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum ResponsePlace {
    /// The status code.
    Status,
    /// One header.
    Header(HeaderName),
    /// The bytes of the body.
    Body,
    /// Members of the JSON body: the segments of a JSON pointer (RFC 6901) without escapes. The wildcard `*` stands
    /// for each member of a list, or for the value itself if it is not a list: `/data/*/id` finds the ids of a list
    /// and the id of a single resource. The empty pointer stands for the whole body.
    Json(Vec<String>),
}

impl TryFrom<String> for ResponsePlace {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "status" => Ok(Self::Status),
            "body" => Ok(Self::Body),
            "" => Ok(Self::Json(Vec::new())),
            _ => match (text.strip_prefix("header:"), text.strip_prefix('/')) {
                (Some(name), _) => {
                    name.parse().map(Self::Header).map_err(|_| format!("`{name}`: not a header"))
                }
                (_, Some(names)) => Ok(Self::Json(names.split('/').map(str::to_owned).collect())),
                (None, None) => Err(format!("`{text}` is not a place of a response")),
            },
        }
    }
}

/// Calls `change` for each place below `value`, with the parent of the place and its name there. If the place has no
/// name (the whole body, or a wildcard at the end), `change` gets the value itself and `None`.
pub(super) fn visit(
    value: &mut Value,
    segments: &[String],
    change: &mut dyn FnMut(&mut Value, Option<&str>),
) {
    let Some((first, rest)) = segments.split_first() else { return change(value, None) };
    match (first.as_str(), value) {
        ("*", Value::Array(members)) => members.iter_mut().for_each(|it| visit(it, rest, change)),
        ("*", value) => visit(value, rest, change),
        (name, value) if rest.is_empty() => change(value, Some(name)),
        (name, Value::Object(members)) => {
            if let Some(member) = members.get_mut(name) {
                visit(member, rest, change);
            }
        }
        (name, Value::Array(members)) => {
            if let Some(member) = name.parse().ok().and_then(|at: usize| members.get_mut(at)) {
                visit(member, rest, change);
            }
        }
        _ => {}
    }
}

/// The value of a member of an object or a list.
pub(super) fn member<'v>(parent: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match parent {
        Value::Object(members) => members.get_mut(name),
        Value::Array(members) => members.get_mut(name.parse::<usize>().ok()?),
        _ => None,
    }
}
