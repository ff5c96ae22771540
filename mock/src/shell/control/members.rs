//! Reads the members of an action from path, query and body, and checks them against the JSON Schema of the
//! action, with error messages for people.

use http::request::Parts;
use moot_fixtures::nearest::{ending, nearest, quoted};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::routes::{PATH_MEMBER, Route, TAG};
use crate::control::Refusal;

/// Reads the JSON object of an action. All its members have the right JSON type.
///
/// # Errors
/// 400: the body is no JSON object, or a member is unknown, missing or of a wrong type. 404: the id in the path
/// is not a number where it must be one.
pub(super) fn read(route: &Route, parts: &Parts, id: &str, body: &[u8]) -> Result<Value, Refusal> {
    let mut members = if route.takes_any_body { Map::new() } else { read_body(route, body)? };
    if route.has_query() {
        members.extend(read_query(route, parts.uri.query().unwrap_or_default())?);
    }
    if let Some(schema) = route.members.get(PATH_MEMBER) {
        members.insert(PATH_MEMBER.to_owned(), read_id(schema, id)?);
    }
    members.insert(TAG.to_owned(), route.name.as_str().into());
    Ok(members.into())
}

fn read_id(schema: &Value, id: &str) -> Result<Value, Refusal> {
    let id = percent_decode_str(id).decode_utf8_lossy();
    from_text(schema, &id).ok_or_else(|| Refusal::unknown(format!("an id is a number, not `{id}`")))
}

fn read_query(route: &Route, query: &str) -> Result<Map<String, Value>, Refusal> {
    let mut members = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let mut known = route.own_members();
        let Some((name, schema)) = known.find(|(known, _)| *known == name) else {
            return Err(Refusal::malformed(unknown(route, "parameter", &name)));
        };
        let wrong = || Refusal::malformed(format!("`{name}` is a number, not `{text}`"));
        members.insert(name.to_owned(), from_text(schema, &text).ok_or_else(wrong)?);
    }
    Ok(members)
}

/// The value of a member in a path or a query; `None` if it must be a number and is none.
fn from_text(schema: &Value, text: &str) -> Option<Value> {
    match has_type(schema, "integer") {
        true => text.parse::<u64>().ok().map(Value::from),
        false => Some(text.into()),
    }
}

/// Reads a body. An empty one counts as an empty object.
fn read_body(route: &Route, body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    let body = if body.is_empty() { b"{}" } else { body };
    let json: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::malformed(format!("the body is not JSON: {error}")))?;
    let Value::Object(mut members) = json else {
        let example = route.own_members().next();
        let example = example.map_or("{}".to_owned(), |(name, _)| format!("{{\"{name}\": …}}"));
        let detail = format!("the body must be a JSON object, such as {example}");
        return Err(Refusal::malformed(detail));
    };
    if !route.has_body() {
        return Ok(Map::new());
    }
    for (name, value) in &members {
        check_member(route, name, value)?;
    }
    // `null` counts as absent, unless the member says otherwise.
    members.retain(|name, value| !value.is_null() || has_type(&route.members[name], "null"));
    check_presence(route, &members)?;
    Ok(members)
}

fn check_member(route: &Route, name: &str, value: &Value) -> Result<(), Refusal> {
    let Some((_, schema)) = route.own_members().find(|(known, _)| *known == name) else {
        return Err(Refusal::malformed(unknown(route, "field", name)));
    };
    if value.is_null() || fits(schema, value) {
        return Ok(());
    }
    let (expected, hint) = (expected(schema), nearest_choice(schema, value));
    let description = schema["description"].as_str().unwrap_or_default();
    let detail = format!("`{name}` must be {expected}, not `{value}` ({description}){hint}");
    Err(Refusal::malformed(detail))
}

fn unknown(route: &Route, kind: &str, name: &str) -> String {
    let known: Vec<&str> = route.own_members().map(|(known, _)| known).collect();
    let list = quoted(&known);
    let expected = match known.len() {
        0 => format!("there are no {kind}s"),
        1 => format!("expected {list}"),
        _ => format!("expected one of {list}"),
    };
    format!("unknown {kind} `{name}`, {expected}{}", ending(nearest(name, known)))
}

fn check_presence(route: &Route, members: &Map<String, Value>) -> Result<(), Refusal> {
    let mut required = route.required.iter().filter(|name| *name != PATH_MEMBER);
    if let Some(name) = required.find(|name| !members.contains_key(*name)) {
        let description = route.members[name]["description"].as_str().unwrap_or_default();
        return Err(Refusal::malformed(format!("missing field `{name}` ({description})")));
    }
    // A member with its default value counts as absent.
    let is_given = |name: &&String| {
        let default = &route.members[*name]["default"];
        members.get(*name).is_some_and(|value| !value.is_null() && value != default)
    };
    let given = route.one_of.iter().filter(is_given).count();
    if let Some((last, first)) = route.one_of.split_last()
        && given != 1
    {
        let detail = format!("give exactly one of {} and `{last}`", quoted(first));
        return Err(Refusal::malformed(detail));
    }
    Ok(())
}

/// Whether a JSON Schema allows a type.
fn has_type(schema: &Value, name: &str) -> bool {
    types(schema).any(|known| known == name)
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str();
    let several = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(several)
}

fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema["enum"].as_array()
}

/// Whether a value has a type, and is one of the choices, of a JSON Schema.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(choices) = choices(schema) {
        return choices.contains(value);
    }
    let is_of = |name| match name {
        "string" => value.is_string(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" if schema["minimum"].is_u64() => value.is_u64(),
        "integer" => value.is_i64(),
        "array" => value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| fits(&schema["items"], item))),
        _ => false,
    };
    types(schema).next().is_none() || types(schema).any(is_of)
}

/// The values that a JSON Schema allows, in words.
fn expected(schema: &Value) -> String {
    let words = types(schema).filter_map(|name| match name {
        "array" => Some(format!("a list of {}", plural(&schema["items"]))),
        "string" if choices(schema).is_some() => Some(format!("one of {}", plural(schema))),
        "string" => Some("a text".to_owned()),
        "object" => Some("an object".to_owned()),
        "boolean" => Some("true or false".to_owned()),
        "integer" if schema["minimum"] == 0 => Some("a whole number from 0 on".to_owned()),
        "integer" => Some("a whole number".to_owned()),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" or ")
}

/// The items of a list with this JSON Schema, in words.
fn plural(schema: &Value) -> String {
    match choices(schema) {
        Some(choices) => quoted(choices.iter().filter_map(Value::as_str)),
        None if has_type(schema, "object") => "objects".to_owned(),
        None if has_type(schema, "integer") => "whole numbers from 0 on".to_owned(),
        None => "texts".to_owned(),
    }
}

fn nearest_choice(schema: &Value, value: &Value) -> String {
    let names = choices(schema).into_iter().flatten().filter_map(Value::as_str);
    ending(value.as_str().and_then(|given| nearest(given, names)))
}
