//! Members that a JSON object has twice. RFC 8259 §4 leaves them to the reader: some take the first
//! value, some the last.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A JSON text as a reader takes it that keeps the first of two members of one name.
#[derive(Debug, Default)]
pub(super) struct FirstWinsReading {
    /// The value.
    pub(super) value: Value,
    /// The name of the first member that is there twice.
    pub(super) duplicate: Option<String>,
}

/// Reads a JSON text.
pub(super) fn read(body: &[u8]) -> Result<FirstWinsReading, serde_json::Error> {
    let mut duplicate = None;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = FirstWins(&mut duplicate).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(FirstWinsReading { value, duplicate })
}

/// The member that readers disagree about: its first value is not its last. `last` is the body as a
/// reader takes it that keeps the last.
pub(super) fn ambiguous_member(body: &[u8], last: &Value) -> Option<String> {
    difference("", &read(body).ok()?.value, last)
}

/// The name of the innermost member in which they differ.
fn difference(name: &str, first: &Value, last: &Value) -> Option<String> {
    let inner = match (first, last) {
        (Value::Object(first), Value::Object(last)) => {
            first.iter().find_map(|(key, value)| difference(key, value, last.get(key)?))
        }
        (Value::Array(first), Value::Array(last)) if first.len() == last.len() => {
            first.iter().zip(last).find_map(|(first, last)| difference(name, first, last))
        }
        (_, _) => None,
    };
    inner.or_else(|| (first != last).then(|| name.to_owned()))
}

/// Reads a value and notes the first member that is there twice.
struct FirstWins<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for FirstWins<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FirstWins<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(FirstWins(&mut *self.0))?;
            if object.contains_key(&name) {
                self.0.get_or_insert(name);
            } else {
                object.insert(name, value);
            }
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(FirstWins(&mut *self.0))? {
            list.push(item);
        }
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
    use super::{ambiguous_member, read};

    #[track_caller]
    fn check(body: &str, duplicate: Option<&str>, ambiguous: Option<&str>) {
        let reading = read(body.as_bytes()).expect("it is JSON");
        assert_eq!(reading.duplicate.as_deref(), duplicate, "{body}");
        let last = serde_json::from_str(body).expect("it is JSON");
        assert_eq!(ambiguous_member(body.as_bytes(), &last).as_deref(), ambiguous, "{body}");
    }

    #[test]
    fn duplicate_members_are_found_at_any_depth() {
        check(r#"{"a": 1, "b": {"a": [{"a": ":"}, ":", {"a\":": null}]}}"#, None, None);
        check("7", None, None);
        check(r#"{"a": 1, "a": 1}"#, Some("a"), None);
        check(r#"{"a": 1, "a": 2}"#, Some("a"), Some("a"));
        check(r#"[{"x": {"a": 1, "\u0061": {"b": 2}}}]"#, Some("a"), Some("a"));
    }
}
