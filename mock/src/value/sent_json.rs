//! JSON that a client sent. Every number keeps its text.
//!
//! `serde_json::Value` reads `18446744073709551616` and `1e2` as floats and writes other digits.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::de::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The largest depth that `serde_json` reads.
const DEPTH_MAX: usize = 127;

/// JSON without white space. If an object had a name twice, it has the last member.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SentJson(Box<RawValue>);

impl SentJson {
    /// Reads an object.
    ///
    /// # Errors
    /// Text that is not a JSON object, or is too deep.
    pub(crate) fn object(text: &str) -> Result<Self, serde_json::Error> {
        if !text.trim_start().starts_with('{') {
            return Err(serde_json::Error::custom("not an object"));
        }
        exact(serde_json::from_str(text)?, 0).map(Self)
    }

    /// The members by name; empty if it is not an object.
    pub(crate) fn members(&self) -> HashMap<String, Self> {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    /// The value. A number that does not fit into a float is rounded, and null beyond the largest float.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or(Value::Null)
    }

    /// The string, if it is one.
    pub(crate) fn string(&self) -> Option<String> {
        serde_json::from_str(self.text()).ok()
    }

    pub(crate) fn is_number(&self) -> bool {
        self.text().starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }
}

impl Default for SentJson {
    fn default() -> Self {
        Self::from(Value::Object(serde_json::Map::new()))
    }
}

impl From<Value> for SentJson {
    fn from(value: Value) -> Self {
        let raw = RawValue::from_string(value.to_string());
        Self(raw.expect("a value is written as JSON"))
    }
}

/// A value without white space.
fn exact(raw: &RawValue, depth: usize) -> Result<Box<RawValue>, serde_json::Error> {
    let text = raw.get();
    if depth > DEPTH_MAX {
        return Err(serde_json::Error::custom("too deep"));
    }
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: IndexMap<String, &RawValue> = serde_json::from_str(text)?;
            let members = members.into_iter().map(|(name, raw)| Ok((name, exact(raw, depth + 1)?)));
            to_raw_value(&members.collect::<Result<IndexMap<_, _>, serde_json::Error>>()?)
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(text)?;
            let values = values.into_iter().map(|raw| exact(raw, depth + 1));
            to_raw_value(&values.collect::<Result<Vec<_>, _>>()?)
        }
        // Reading the escapes refuses half of a surrogate pair.
        Some(b'"') => to_raw_value(&serde_json::from_str::<String>(text)?),
        _ => Ok(raw.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::SentJson;

    fn read(text: &str) -> Option<String> {
        SentJson::object(text).ok().map(|json| json.text().to_owned())
    }

    #[test]
    fn numbers_keep_their_text() {
        let text = r#"{"a":[18446744073709551616,1e2,1.10,-0,1E+400,-0.0e-7],"b":{"c":1}}"#;
        assert_eq!(read(text).as_deref(), Some(text));
    }

    #[test]
    fn white_space_is_removed_and_of_equal_names_the_last_member_stays() {
        let text = " { \"a\" : 1 , \"b\" : [ ] , \"a\" : \"\\u00e9\" } ";
        assert_eq!(read(text).as_deref(), Some(r#"{"a":"é","b":[]}"#));
    }

    #[test]
    fn only_an_object_is_accepted() {
        let deep = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        for text in ["", "[]", "1", "null", "{\"a\":}", "{\"a\":01}", "{} x", "{\"a\":\"\\ud800\"}"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(&deep(127)).is_some());
        assert_eq!(read(&deep(128)), None);
        assert_eq!(read(&deep(100_000)), None);
    }
}
