//! Do all readers of a body read the same? RFC 8259 §4 leaves a member that is there twice to the reader:
//! some take the first, some the last.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A member, of whichever object, of which the first value is not the last; `last` is the body as a
/// reader takes it who keeps the last.
pub(super) fn member_read_twice(body: &[u8], last: &Value) -> Option<String> {
    let FirstRead(first) = serde_json::from_slice(body).ok()?;
    difference("", &first, last)
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

/// A JSON value in which the first of two members of one name counts.
struct FirstRead(Value);

impl<'de> Deserialize<'de> for FirstRead {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FirstReader).map(Self)
    }
}

struct FirstReader;

impl<'de> Visitor<'de> for FirstReader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, FirstRead(value))) = members.next_entry::<String, FirstRead>()? {
            object.entry(name).or_insert(value);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(FirstRead(item)) = items.next_element()? {
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
