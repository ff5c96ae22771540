//! Operators: what a defect does to one value. An operator knows nothing of the place of the value.

use http::StatusCode;
use http::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::damage::ValueDamage;
use super::place::member;

/// A change of one value. An operator that does not fit the type of a value leaves it as it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operator {
    /// Removes the member or the header.
    Drop,
    /// Replaces the value. Adds a header that is missing, but no member.
    Set(Value),
    /// Replaces the value by that of another place in the same body.
    CopyOf(String),
    /// Replaces the value by the number of members that the list at another place has.
    LengthOf(String),
    /// Replaces one value by another one.
    Replace {
        /// The value that is replaced.
        from: Value,
        /// Its replacement.
        to: Value,
    },
    /// Replaces a part of a text wherever it occurs.
    ReplaceText {
        /// The part.
        from: String,
        /// Its replacement.
        to: String,
    },
    /// Gives the member another name.
    Rename(String),
    /// Writes a value that is not a text as its JSON text.
    AsText,
    /// Puts the value into a list.
    InList,
    /// Puts the value into an object, under this name.
    Wrap(String),
    /// Replaces an object by its member of this name.
    Unwrap(String),
    /// Cuts a text to this many characters.
    Truncate(usize),
    /// Puts this in front of a text.
    Prefix(String),
    /// Adds to a number.
    Increase(i64),
    /// Adds a member to an object.
    Insert {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
    },
    /// Adds a member to a list.
    Append(Value),
    /// Turns a list around.
    Reverse,
    /// Removes the first member of a list, or the first byte of a body.
    DropFirst,
    /// Removes the last member of a list, or the last byte of a body.
    DropLast,
    /// Adds the first member of a list again, at its end.
    RepeatFirst,
    /// Encodes a text body in Latin-1.
    Latin1,
    /// Damages the value as careless back ends do.
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
            (Self::ReplaceText { from, to }, Value::String(text)) => *text = text.replace(from, to),
            (Self::AsText, other) if !other.is_string() => *value = json!(other.to_string()),
            (Self::InList, other) => *value = json!([other.take()]),
            (Self::Wrap(name), other) => {
                *value = Value::Object(Map::from_iter([(name.clone(), other.take())]));
            }
            (Self::Unwrap(name), Value::Object(members)) => {
                if let Some(inner) = members.get_mut(name) {
                    *value = inner.take();
                }
            }
            (Self::Truncate(length), Value::String(text)) => {
                *text = text.chars().take(*length).collect();
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
            // The operator does not fit this value.
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

    /// Changes a header in a list of headers.
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

/// Letters beyond Latin-1 become an en dash of Windows-1252. Other bytes than UTF-8 stay.
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
        check(json!({ "replace_text": { "from": " ", "to": "," } }), json!("a b"), json!("a,b"));
        check(json!("as_text"), json!(1), json!("1"));
        check(json!("in_list"), json!(1), json!([1]));
        check(json!({ "wrap": "items" }), json!([1]), json!({ "items": [1] }));
        check(json!({ "unwrap": "data" }), json!({ "data": 1 }), json!(1));
        check(json!({ "truncate": 1 }), json!("äb"), json!("ä"));
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
            json!({ "truncate": 0 }),
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
