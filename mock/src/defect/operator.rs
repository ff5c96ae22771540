//! Operators: changes of one value, wherever it is.

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::damage::ValueDamage;
use super::place::member;

/// A change of one value. A value of an unsuitable type stays as it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operator {
    /// Removes the member or the header.
    Drop,
    /// Replaces the value. Adds a missing header, but no missing member.
    Set(Value),
    /// Replaces the value by the value at another place of the same body.
    CopyOf(String),
    /// Replaces the value by the length of the list at another place of the same body.
    LengthOf(String),
    /// Replaces the value `from` by the value `to`. Other values stay.
    Replace {
        from: Value,
        to: Value,
    },
    /// Renames the member.
    Rename(String),
    /// Puts the value into a list.
    InList,
    /// Puts the value into an object, under this name.
    Wrap(String),
    /// Replaces an object by its member of this name.
    Unwrap(String),
    /// Puts this in front of a text.
    Prefix(String),
    /// Adds this to a number.
    Increase(i64),
    /// Adds a member to an object.
    Insert {
        name: String,
        value: Value,
    },
    /// Adds a member to a list.
    Append(Value),
    /// Reverses a list.
    Reverse,
    /// Removes the first member of a list, or the first byte of a body.
    DropFirst,
    /// Removes the last member of a list, or the last byte of a body.
    DropLast,
    /// Adds the first member of a list again, at its end.
    RepeatFirst,
    /// Encodes a body in Latin-1.
    Latin1,
    Damage(ValueDamage),
}

impl Operator {
    /// Changes the member `name` of `parent`. `body` is the whole body before the change.
    pub(super) fn on_member(&self, body: &Value, parent: &mut Value, name: &str) {
        match (self, &mut *parent) {
            (Self::Drop, Value::Object(members)) => drop(members.shift_remove(name)),
            (Self::Drop, Value::Array(members)) => {
                if let Some(at) = name.parse().ok().filter(|at| *at < members.len()) {
                    members.remove(at);
                }
            }
            (Self::Rename(other), Value::Object(members)) => {
                if let Some(value) = members.shift_remove(name) {
                    members.insert(other.clone(), value);
                }
            }
            _ => {
                if let Some(value) = member(parent, name) {
                    self.on_value(body, value);
                }
            }
        }
    }

    /// Changes a value. `body` is the whole body before the change.
    pub(super) fn on_value(&self, body: &Value, value: &mut Value) {
        match (self, &mut *value) {
            (Self::Set(other), _) => *value = other.clone(),
            (Self::Damage(damage), _) => damage.apply(value),
            (Self::CopyOf(place), _) => {
                *value = body.pointer(place).cloned().unwrap_or_else(|| value.take());
            }
            (Self::LengthOf(place), _) => {
                if let Some(Value::Array(members)) = body.pointer(place) {
                    *value = json!(members.len());
                }
            }
            (Self::Replace { from, to }, old) if *old == *from => *value = to.clone(),
            (Self::InList, other) => *value = json!([other.take()]),
            (Self::Wrap(name), other) => {
                *value = Value::Object(Map::from_iter([(name.clone(), other.take())]));
            }
            (Self::Unwrap(name), Value::Object(members)) => {
                if let Some(inner) = members.get_mut(name) {
                    *value = inner.take();
                }
            }
            (Self::Prefix(start), Value::String(text)) => text.insert_str(0, start),
            (Self::Increase(more), Value::Number(number)) => {
                *value = json!(number.as_i64().unwrap_or_default().saturating_add(*more));
            }
            (Self::Insert { name, value }, Value::Object(members)) => {
                members.insert(name.clone(), value.clone());
            }
            (Self::Append(member), Value::Array(members)) => members.push(member.clone()),
            (Self::Reverse, Value::Array(members)) => members.reverse(),
            (Self::DropFirst, Value::Array(members)) if !members.is_empty() => {
                members.remove(0);
            }
            (Self::DropLast, Value::Array(members)) => drop(members.pop()),
            (Self::DropFirst, Value::Object(members)) => {
                if let Some(first) = members.keys().next().cloned() {
                    members.shift_remove(&first);
                }
            }
            (Self::DropLast, Value::Object(members)) => {
                if let Some(last) = members.keys().next_back().cloned() {
                    members.shift_remove(&last);
                }
            }
            (Self::RepeatFirst, Value::Array(members)) => members.extend(members.first().cloned()),
            // The value has an unsuitable type.
            _ => {}
        }
    }

    /// Changes the bytes of a body.
    pub(super) fn on_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Set(Value::String(text)) => text.clone().into_bytes(),
            Self::Prefix(start) => [start.as_bytes(), bytes].concat(),
            Self::DropFirst => bytes.get(1..).unwrap_or_default().to_vec(),
            Self::DropLast => bytes[..bytes.len().saturating_sub(1)].to_vec(),
            Self::Latin1 => latin_1(bytes),
            _ => bytes.to_vec(),
        }
    }

    /// Changes a status code.
    pub(super) fn on_status(&self, status: StatusCode) -> StatusCode {
        let Self::Set(value) = self else { return status };
        let number = value.as_u64().and_then(|number| u16::try_from(number).ok());
        number.and_then(|number| StatusCode::from_u16(number).ok()).unwrap_or(status)
    }

    /// Changes the header `name`.
    pub(super) fn on_header(
        &self,
        headers: &mut Vec<(HeaderName, HeaderValue)>,
        name: &HeaderName,
    ) {
        let text = |value: &Value| HeaderValue::from_str(value.as_str()?).ok();
        match self {
            Self::Drop => headers.retain(|(known, _)| known != name),
            Self::Set(value) => {
                headers.retain(|(known, _)| known != name);
                headers.extend(text(value).map(|value| (name.clone(), value)));
            }
            Self::Replace { from, to } => {
                for (known, value) in headers {
                    if known == name && text(from).is_some_and(|from| from == *value) {
                        *value = text(to).unwrap_or_else(|| value.clone());
                    }
                }
            }
            _ => {}
        }
    }
}

/// Encodes UTF-8 text in Latin-1. Letters beyond Latin-1 become an en dash of Windows-1252. Bytes that are not
/// UTF-8 stay as they are.
fn latin_1(bytes: &[u8]) -> Vec<u8> {
    const BEYOND: u8 = 0x97;
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().map(|letter| u8::try_from(letter).unwrap_or(BEYOND)).collect(),
        Err(_) => bytes.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde_json::{Value, json};

    use super::Operator;

    /// Applies an operator to `/member` of a body.
    #[track_caller]
    fn check(operator: Value, member: Value, expected: Value) {
        let operator: Operator = serde_json::from_value(operator).expect("an operator");
        let mut body = json!({ "member": member, "other": [1, 2] });
        let before = body.clone();
        operator.on_member(&before, &mut body, "member");
        let mut wanted = json!({ "member": expected, "other": [1, 2] });
        if expected == json!("<gone>") {
            wanted = json!({ "other": [1, 2] });
        }
        assert_eq!(body, wanted, "{operator:?}");
    }

    #[test]
    fn each_operator_changes_a_value_of_its_type() {
        check(json!("drop"), json!(1), json!("<gone>"));
        check(json!({ "set": null }), json!(1), Value::Null);
        check(json!({ "copy_of": "/other/0" }), json!("a"), json!(1));
        check(json!({ "length_of": "/other" }), json!(9), json!(2));
        check(json!({ "replace": { "from": "a", "to": "b" } }), json!("a"), json!("b"));
        check(json!("in_list"), json!(1), json!([1]));
        check(json!({ "wrap": "items" }), json!([1]), json!({ "items": [1] }));
        check(json!({ "unwrap": "data" }), json!({ "data": 1 }), json!(1));
        check(json!({ "prefix": "x" }), json!("a"), json!("xa"));
        check(json!({ "increase": -1 }), json!(1), json!(0));
        check(json!({ "insert": { "name": "b", "value": 2 } }), json!({}), json!({ "b": 2 }));
        check(json!({ "append": 3 }), json!([]), json!([3]));
        check(json!("reverse"), json!([1, 2]), json!([2, 1]));
        check(json!("drop_first"), json!([1, 2]), json!([2]));
        check(json!("drop_last"), json!([1, 2]), json!([1]));
        check(json!("repeat_first"), json!([1, 2]), json!([1, 2, 1]));
    }

    #[test]
    fn a_value_of_another_type_stays() {
        for operator in [
            json!({ "increase": 1 }),
            json!({ "replace": { "from": 1, "to": 2 } }),
            json!({ "prefix": "x" }),
            json!({ "unwrap": "data" }),
            json!("drop_first"),
        ] {
            check(operator, json!(true), json!(true));
        }
    }

    #[test]
    fn a_status_that_does_not_exist_changes_nothing() {
        let set = |value: Value| Operator::Set(value).on_status(StatusCode::OK).as_u16();
        assert_eq!([set(json!(404)), set(json!(9)), set(json!("a"))], [404, 200, 200]);
    }
}
