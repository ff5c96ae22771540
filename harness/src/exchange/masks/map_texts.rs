//! Replaces the texts of a JSON value.

use serde_json::Value;

/// The value with each of its texts replaced, also the names of members.
pub(crate) fn map_texts(value: &Value, map: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(map(text)),
        Value::Array(items) => items.iter().map(|item| map_texts(item, map)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (map(name), map_texts(member, map))).collect()
        }
        other => other.clone(),
    }
}
