//! The merged shape of many values. It does not depend on their number, order and content.
//!
//! The shape of the items of an empty list is unknown. Such a list is equal to every list.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::kind;
use crate::stored_places::{ITEM, StoredPlaces};
use crate::text::is_timestamp;

/// The only item of an empty list: the shape of its items is unknown.
const NOTHING: &str = "(none)";

/// The member with the other types of values at the place of an object.
const ALTERNATIVE: &str = "(or)";

/// The shape of the items of the list at `path`.
///
/// A scalar is shown as its type; an identifier, a time or a stored value as its placeholder; the
/// `type` of a resource as its values. A member ends in `?` if not every object has it.
pub(crate) fn merged_shape(items: &[Value], stored: &StoredPlaces, path: &[String]) -> Value {
    let mut shaper = Shaper { stored, path: path.to_vec() };
    shaper.list(&items.iter().collect::<Vec<_>>())
}

struct Shaper<'a> {
    stored: &'a StoredPlaces,
    /// The place of the values.
    path: Vec<String>,
}

impl Shaper<'_> {
    fn list(&mut self, items: &[&Value]) -> Value {
        if items.is_empty() {
            return Value::Array(vec![Value::String(NOTHING.to_owned())]);
        }
        self.path.push(ITEM.to_owned());
        let shown = self.shape(items);
        self.path.pop();
        Value::Array(vec![shown])
    }

    fn shape(&mut self, values: &[&Value]) -> Value {
        if let Some(label) = self.stored.label(&self.path, values) {
            return Value::String(format!("[{label}]"));
        }
        let objects: Vec<&Map<String, Value>> =
            values.iter().filter_map(|v| v.as_object()).collect();
        let lists: Vec<&Vec<Value>> = values.iter().filter_map(|v| v.as_array()).collect();
        let mut names: BTreeSet<&str> = values.iter().filter_map(|v| scalar_name(v)).collect();
        if objects.is_empty() && names.is_empty() {
            let items: Vec<&Value> = lists.iter().flat_map(|list| list.iter()).collect();
            return self.list(&items);
        }
        if !lists.is_empty() {
            names.insert("list");
        }
        let names = names.into_iter().collect::<Vec<_>>().join(" or ");
        if objects.is_empty() {
            return Value::String(names);
        }
        let mut shown = self.object(&objects);
        if !names.is_empty() {
            shown.insert(ALTERNATIVE.to_owned(), Value::String(names));
        }
        Value::Object(shown.into_iter().collect())
    }

    fn object(&mut self, objects: &[&Map<String, Value>]) -> BTreeMap<String, Value> {
        let members: BTreeSet<&str> =
            objects.iter().flat_map(|object| object.keys().map(String::as_str)).collect();
        let mut shown = BTreeMap::new();
        for member in members {
            let values: Vec<&Value> = objects.iter().filter_map(|o| o.get(member)).collect();
            let mark = if values.len() == objects.len() { "" } else { "?" };
            self.path.push(member.to_owned());
            shown.insert(format!("{member}{mark}"), self.member(objects[0], member, &values));
            self.path.pop();
        }
        shown
    }

    fn member(&mut self, object: &Map<String, Value>, member: &str, values: &[&Value]) -> Value {
        let are_texts = values.iter().all(|value| value.is_string());
        if are_texts && let Some(kind) = kind::of_member(object, member, false) {
            return Value::String(format!("[{kind}]"));
        }
        // Only the `type` of a resource with an `id` is shown as its values.
        if are_texts && member == "type" && object.contains_key("id") {
            let types: BTreeSet<&str> = values.iter().filter_map(|value| value.as_str()).collect();
            return Value::String(types.into_iter().collect::<Vec<_>>().join(" | "));
        }
        self.shape(values)
    }
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

/// `text` (a rendered response), where each empty list gets the shape of the same list in `other`. A list
/// may be empty because of a filter, or because the company has no data.
pub(crate) fn fill_empty_lists(text: &str, other: &str) -> String {
    if !text.contains(NOTHING) {
        return text.to_owned();
    }
    let parts = |text: &str| {
        let (head, body) = text.split_once("\n\n")?;
        Some((head.to_owned(), serde_json::from_str::<Value>(body).ok()?))
    };
    match (parts(text), parts(other)) {
        (Some((head, mut body)), Some((_, known))) => {
            fill(&mut body, &known);
            format!("{head}\n\n{body:#}")
        }
        _ => text.to_owned(),
    }
}

fn fill(value: &mut Value, known: &Value) {
    match (value, known) {
        (Value::Array(items), Value::Array(others)) => match items.as_slice() {
            [Value::String(only)] if only == NOTHING => items.clone_from(others),
            _ => items.iter_mut().zip(others).for_each(|(item, other)| fill(item, other)),
        },
        (Value::Object(members), Value::Object(others)) => {
            for (member, value) in members {
                if let Some(other) = others.get(member) {
                    fill(value, other);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{fill_empty_lists, merged_shape};
    use crate::stored_places::StoredPlaces;

    #[track_caller]
    fn check(items: Value, expected: Value) {
        let items = items.as_array().expect("the rows are lists").clone();
        let stored = StoredPlaces::new([
            (path("data/*/note"), vec!["string".to_owned(), "null".to_owned()]),
            (path("data/*/custom_fields"), vec!["object".to_owned()]),
        ]);
        assert_eq!(merged_shape(&items, &stored, &path("data")), json!([expected]));
    }

    fn path(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
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
    fn of_what_is_stored_only_the_types_show_that_it_may_have() {
        for note in [json!("s"), json!(null)] {
            check(
                json!([{"type": "x", "note": note}]),
                json!({"note": "[text or null]", "type": "string"}),
            );
        }
        check(json!([{"type": "x", "note": 1}]), json!({"note": "integer", "type": "string"}));
        check(
            json!([{"type": "x", "custom_fields": {}}, {"type": "x", "custom_fields": {"k": 1}}]),
            json!({"custom_fields": "[object]", "type": "string"}),
        );
    }

    #[test]
    fn a_list_without_items_has_no_known_shape() {
        let events = |events: Value| json!([{"type": "x", "events": events}]);
        check(events(json!([])), json!({"events": ["(none)"], "type": "string"}));
        check(events(json!(["a", "b"])), json!({"events": ["string"], "type": "string"}));
    }

    #[test]
    fn only_what_is_unknown_is_taken_from_the_other() {
        let text = "HTTP 200\n\n{\n  \"a\": [\n    \"(none)\"\n  ],\n  \"b\": 1\n}";
        let other = "HTTP 404\n\n{\n  \"a\": [\n    \"string\"\n  ],\n  \"b\": 2\n}";
        assert_eq!(fill_empty_lists(text, other), text.replace("(none)", "string"));
        assert_eq!(fill_empty_lists(other, text), other);
        assert_eq!(fill_empty_lists(text, "HTTP 204\n\n(no body)"), text);
    }
}
