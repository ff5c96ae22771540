//! The places of a body with stored values. The caller passes them, because this crate does not know
//! the contract.

use std::collections::BTreeMap;

use serde_json::Value;

/// Any item of a list, in a path.
pub(crate) const ITEM: &str = "*";

/// The stored places of one body. Their values change between runs, and their types do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredPlaces {
    /// The allowed JSON types by path.
    places: BTreeMap<Vec<String>, Vec<String>>,
}

impl StoredPlaces {
    /// Creates it from paths (members from the root, `*` for any item of a list) with the allowed JSON
    /// types: `["data", "*", "attributes", "comment"]` with `["string", "null"]`.
    pub fn new(places: impl IntoIterator<Item = (Vec<String>, Vec<String>)>) -> Self {
        Self { places: places.into_iter().collect() }
    }

    /// The label for all these values: `text or null`. `None` if the place is not a stored one, or if a
    /// value has another type.
    pub(crate) fn label(&self, path: &[String], values: &[&Value]) -> Option<String> {
        let types = self.places.get(path)?;
        let fits = |value: &&Value| types.iter().any(|kind| kind == type_of(value));
        if types.iter().any(|kind| kind == "array") || !values.iter().all(fits) {
            return None;
        }
        let words: Vec<&str> = types.iter().map(|kind| word(kind)).collect();
        Some(words.join(" or "))
    }

    /// Whether the place has a list of stored values. Their number and order are not compared.
    pub(crate) fn is_list(&self, path: &[String]) -> bool {
        self.places.get(path).is_some_and(|types| types.iter().any(|kind| kind == "array"))
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The word for a JSON type.
fn word(kind: &str) -> &str {
    if kind == "string" { "text" } else { kind }
}
