//! Finds members that occur twice in a JSON object. Some JSON readers use the first value, others the
//! last (RFC 8259 §4).

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The number of nested lists and objects that `serde_json` reads. It refuses one more.
pub(super) const DEPTH_MAX: usize = 127;

/// The progress of reading a JSON text.
#[derive(Debug, Default)]
pub(super) struct JsonReading {
    /// The name of the first member that occurs twice in an object.
    pub(super) duplicate: Option<String>,
    /// The number of lists and objects that are open. 0 at the end of a complete JSON text.
    pub(super) depth: usize,
}

/// Reads a JSON text. The first of two equal members wins.
pub(super) fn read(body: &[u8]) -> (Result<Value, serde_json::Error>, JsonReading) {
    let mut reading = JsonReading::default();
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = reading.deserialize(&mut deserializer);
    (value.and_then(|value| deserializer.end().map(|()| value)), reading)
}

/// Whether readers that use the first of two members of the same name read another value than `last`. For `last`, the
/// last member was used.
pub(super) fn is_ambiguous(body: &[u8], last: &Value) -> bool {
    read(body).0.is_ok_and(|first| first != *last)
}

impl<'de> DeserializeSeed<'de> for &mut JsonReading {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut JsonReading {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        self.depth += 1;
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(&mut *self)?;
            if object.contains_key(&name) {
                self.duplicate.get_or_insert(name);
            } else {
                object.insert(name, value);
            }
        }
        self.depth -= 1;
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        self.depth += 1;
        while let Some(item) = items.next_element_seed(&mut *self)? {
            list.push(item);
        }
        self.depth -= 1;
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_ambiguous, read};

    #[track_caller]
    fn check(body: &str, duplicate: Option<&str>, ambiguous: bool) {
        let (_, reading) = read(body.as_bytes());
        assert_eq!((reading.duplicate.as_deref(), reading.depth), (duplicate, 0), "{body}");
        let last = serde_json::from_str(body).expect("it is JSON");
        assert_eq!(is_ambiguous(body.as_bytes(), &last), ambiguous, "{body}");
    }

    #[test]
    fn duplicate_members_are_found_at_any_depth() {
        check(r#"{"a": 1, "b": {"a": [{"a": ":"}, ":", {"a\":": null}]}}"#, None, false);
        check("7", None, false);
        check(r#"{"a": 1, "a": 1}"#, Some("a"), false);
        check(r#"{"a": 1, "a": 2}"#, Some("a"), true);
        check(r#"[{"x": {"a": 1, "\u0061": {"b": 2}}}]"#, Some("a"), true);
    }
}
