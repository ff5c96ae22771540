//! JSON that a client sent. Every number keeps its text.
//!
//! `serde_json::Value` reads `18446744073709551616` and `1e2` as floats and writes other digits.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The largest depth that `serde_json` reads.
const DEPTH_MAX: usize = 127;

/// JSON without white space. If an object had a name twice, it has the last member.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SentJson(Box<RawValue>);

/// The members of an object in their order, each name once.
struct SentMembers<'a>(Vec<(String, &'a RawValue)>);

impl SentJson {
    /// Reads an object.
    ///
    /// # Errors
    /// Text that is not a JSON object, or is too deep.
    pub(crate) fn object(text: &str) -> Result<Self, serde_json::Error> {
        if !text.trim_start().starts_with('{') {
            return Err(serde_json::Error::custom("not an object"));
        }
        let mut out = String::with_capacity(text.len());
        write(serde_json::from_str(text)?, 0, &mut out)?;
        RawValue::from_string(out).map(Self)
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

impl<'de> Deserialize<'de> for SentMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = SentMembers<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<SentMembers<'de>, A::Error> {
                let mut members: Vec<(String, &RawValue)> = Vec::new();
                let mut places = HashMap::new();
                while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
                    match places.get(&name).and_then(|place: &usize| members.get_mut(*place)) {
                        Some(earlier) => earlier.1 = value,
                        None => {
                            places.insert(name.clone(), members.len());
                            members.push((name, value));
                        }
                    }
                }
                Ok(SentMembers(members))
            }
        }
        reader.deserialize_map(Reader)
    }
}

/// Writes a value without white space.
fn write(raw: &RawValue, depth: usize, out: &mut String) -> Result<(), serde_json::Error> {
    let text = raw.get();
    if depth > DEPTH_MAX {
        return Err(serde_json::Error::custom("too deep"));
    }
    match text.as_bytes().first() {
        Some(b'{') => {
            let SentMembers(members) = serde_json::from_str(text)?;
            out.push('{');
            for (place, (name, value)) in members.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(&name)?);
                out.push(':');
                write(value, depth + 1, out)?;
            }
            out.push('}');
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(text)?;
            out.push('[');
            for (place, value) in values.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(value, depth + 1, out)?;
            }
            out.push(']');
        }
        // Reading the escapes refuses half of a surrogate pair.
        Some(b'"') => out.push_str(&serde_json::to_string(&serde_json::from_str::<String>(text)?)?),
        _ => out.push_str(text),
    }
    Ok(())
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
