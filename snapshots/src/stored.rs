//! Which places of a body hold what somebody stored. The caller passes
//! them: this crate does not know the contract.

use std::collections::BTreeMap;

use serde_json::Value;

/// What stands in a path for any item of a list.
pub(crate) const ITEM: &str = "*";

/// The stored places of one body: what stands there is another thing tomorrow, its type is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// JSON types that may stand at a path.
    places: BTreeMap<Vec<String>, Vec<String>>,
}

impl Stored {
    /// Of paths (members from the root, `*` for any item of a list) with the JSON types that may stand
    /// there: `["data", "*", "attributes", "comment"]` with `["string", "null"]`.
    pub fn new(places: impl IntoIterator<Item = (Vec<String>, Vec<String>)>) -> Self {
        Self { places: places.into_iter().collect() }
    }

    /// What to call all these values: `text or null`; `None` where the place is no stored one, or one
    /// of the values is of another type.
    pub(crate) fn label(&self, path: &[String], values: &[&Value]) -> Option<String> {
        let types = self.places.get(path)?;
        let fits = |value: &&Value| types.iter().any(|kind| kind == type_of(value));
        if types.iter().any(|kind| kind == "array") || !values.iter().all(fits) {
            return None;
        }
        let words: Vec<&str> = types.iter().map(|kind| word(kind)).collect();
        Some(words.join(" or "))
    }

    /// Whether a list of stored things stands here: then their number and order say nothing.
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

/// A JSON type as it is shown.
fn word(kind: &str) -> &str {
    if kind == "string" { "text" } else { kind }
}
