//! The merged shape of many values: stable whatever their number, order and content.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::kind::Kind;
use crate::text::is_timestamp;

/// Members whose keys a client chooses: only that they are objects is stable.
const OPEN_MEMBERS: [&str; 4] = ["additional_data", "custom_fields", "metadata", "variables"];

/// The member that says what else a value was beside the object shown.
const ALTERNATIVE: &str = "(or)";

/// The shape of the members of a list of resources.
///
/// A scalar is the name of its type, an identifier or a time its placeholder, a resource's `type` its
/// values; a member that not every object has ends in `?`.
pub(crate) fn merged(items: &[Value]) -> Value {
    Value::Array(vec![shape(&items.iter().collect::<Vec<_>>())])
}

fn shape(values: &[&Value]) -> Value {
    let objects: Vec<&Map<String, Value>> = values.iter().filter_map(|v| v.as_object()).collect();
    let lists: Vec<&Vec<Value>> = values.iter().filter_map(|v| v.as_array()).collect();
    let mut names: BTreeSet<&str> = values.iter().filter_map(|v| scalar_name(v)).collect();
    if objects.is_empty() {
        if lists.is_empty() {
            return Value::String(names.into_iter().collect::<Vec<_>>().join(" or "));
        }
        if names.is_empty() {
            let members: Vec<&Value> = lists.iter().flat_map(|list| list.iter()).collect();
            return Value::Array(if members.is_empty() { vec![] } else { vec![shape(&members)] });
        }
    }
    if !lists.is_empty() {
        names.insert("list");
    }
    if objects.is_empty() {
        return Value::String(names.into_iter().collect::<Vec<_>>().join(" or "));
    }
    let mut shown = object_shape(&objects);
    if !names.is_empty() {
        let others = names.into_iter().collect::<Vec<_>>().join(" or ");
        shown.insert(ALTERNATIVE.to_owned(), Value::String(others));
    }
    Value::Object(shown.into_iter().collect())
}

fn object_shape(objects: &[&Map<String, Value>]) -> BTreeMap<String, Value> {
    let members: BTreeSet<&str> =
        objects.iter().flat_map(|object| object.keys().map(String::as_str)).collect();
    members
        .into_iter()
        .map(|member| {
            let values: Vec<&Value> = objects.iter().filter_map(|o| o.get(member)).collect();
            let mark = if values.len() == objects.len() { "" } else { "?" };
            (format!("{member}{mark}"), member_shape(objects[0], member, &values))
        })
        .collect()
}

fn member_shape(object: &Map<String, Value>, member: &str, values: &[&Value]) -> Value {
    let are_texts = values.iter().all(|value| value.is_string());
    if are_texts && let Some(kind) = Kind::of_member(object, member, false) {
        return Value::String(format!("[{}]", kind.as_str()));
    }
    // A resource's `type` stands beside its `id`; elsewhere `type` is a value like any other.
    if are_texts && member == "type" && object.contains_key("id") {
        let seen: BTreeSet<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        return Value::String(seen.into_iter().collect::<Vec<_>>().join(" | "));
    }
    if OPEN_MEMBERS.contains(&member) && values.iter().all(|value| value.is_object()) {
        return Value::String("object".to_owned());
    }
    shape(values)
}

fn scalar_name(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => Some("null"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(text) if is_timestamp(text) => Some("[time]"),
        Value::String(_) => Some("string"),
        Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::merged;

    #[track_caller]
    fn check(items: Value, expected: Value) {
        let items = items.as_array().expect("the rows are lists").clone();
        assert_eq!(merged(&items), json!([expected]));
    }

    #[test]
    fn number_order_and_content_do_not_change_the_shape() {
        let one = json!({"id": "a1", "type": "workflow", "attributes": {"name": "x"}});
        let other = json!({"id": "b2", "type": "workflow", "attributes": {"name": "y"}});
        let expected =
            json!({"attributes": {"name": "string"}, "id": "[workflow]", "type": "workflow"});
        check(json!([one]), expected.clone());
        check(json!([one, other]), expected.clone());
        check(json!([other, one, other]), expected);
    }

    #[test]
    fn what_differs_between_members_shows() {
        check(
            json!([
                {"type": "x", "a": null, "data": null, "t": "2026-03-05T14:30:00Z"},
                {"type": "x", "a": "s", "data": {"id": "i", "type": "legal_request"}, "more": [1, 2.5]},
            ]),
            json!({
                "a": "null or string",
                "data": {"(or)": "null", "id": "[request]", "type": "legal_request"},
                "more?": ["integer or number"],
                "t?": "[time]",
                "type": "string",
            }),
        );
    }

    #[test]
    fn members_with_free_keys_are_only_objects() {
        check(
            json!([{"type": "x", "custom_fields": {}}, {"type": "x", "custom_fields": {"k": 1}}]),
            json!({"custom_fields": "object", "type": "string"}),
        );
    }
}
