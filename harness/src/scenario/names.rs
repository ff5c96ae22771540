//! Values by name while a scenario runs, in scopes: the names of a loop end with the loop.
//!
//! [`super::text`] renders a text with names.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::near_miss;

/// The member that has the text of a secret. A secret is a text with members of its own:
/// `{"$secret": text, "all_but_last": …, "other_case": …}`.
const SECRET_MEMBER: &str = "$secret";

/// Scopes of names.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The names of the scenario itself.
    outermost: BTreeMap<String, Value>,
    /// The names of the loops, the innermost last.
    inner: Vec<BTreeMap<String, Value>>,
}

/// A name without a value, such as a member that a captured value does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`<{name}>` has no value")]
pub struct UnknownName {
    /// With its dots.
    pub name: String,
}

impl Names {
    /// Opens a scope.
    pub fn push(&mut self) {
        self.inner.push(BTreeMap::new());
    }

    /// Removes the innermost scope and its names. The outermost scope stays.
    pub fn pop(&mut self) {
        self.inner.pop();
    }

    /// Sets a name in the innermost scope.
    pub fn set(&mut self, name: &str, value: Value) {
        let scope = self.inner.last_mut().unwrap_or(&mut self.outermost);
        scope.insert(name.to_owned(), value);
    }

    /// The value at `path`: a name, then members of objects or indices of lists. A list has a
    /// `length`; a text has `near_misses` and `percent_encoded`.
    pub fn get(&self, path: &[String]) -> Option<Value> {
        let (name, members) = path.split_first()?;
        let mut scopes = self.inner.iter().rev().chain([&self.outermost]);
        let mut value = scopes.find_map(|scope| scope.get(name))?;
        for member in members {
            match (value, member.as_str()) {
                (Value::Array(items), "length") if member == members.last()? => {
                    return Some(Value::from(items.len()));
                }
                (Value::Array(items), index) => value = items.get(index.parse::<usize>().ok()?)?,
                (Value::Object(known), name) => value = known.get(name)?,
                (Value::String(text), name) if member == members.last()? => {
                    return member_of_text(text, name);
                }
                _ => return None,
            }
        }
        Some(value.get(SECRET_MEMBER).unwrap_or(value).clone())
    }
}

fn member_of_text(text: &str, member: &str) -> Option<Value> {
    match member {
        "near_misses" => Some(near_miss::rows(text)),
        "percent_encoded" => Some(Value::String(percent_encode(text))),
        _ => None,
    }
}

/// The text for a path (RFC 3986 §2.1). The first character is encoded although it need not be.
fn percent_encode(text: &str) -> String {
    let rest = text.chars().skip(1);
    let first = text.bytes().next().filter(u8::is_ascii).map(|byte| format!("%{byte:02X}"));
    match first {
        Some(first) => first + &rest.collect::<String>(),
        None => utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Names;

    #[track_caller]
    fn check(name: &str, expected: Option<Value>) {
        let mut names = Names::default();
        names.set("list", json!(["a", { "id": 7 }]));
        names.set("shadowed", json!("outer"));
        names.set("secret", json!({ "$secret": "s3cret", "all_but_last": "s3cre" }));
        names.push();
        names.set("shadowed", json!("inner"));
        let path: Vec<String> = name.split('.').map(str::to_owned).collect();
        assert_eq!(names.get(&path), expected, "{name}");
    }

    #[test]
    fn members_of_lists_and_objects_are_found() {
        check("list.0", Some(json!("a")));
        check("list.1.id", Some(json!(7)));
        check("list.length", Some(json!(2)));
        check("list.2", None);
        check("list.length.0", None);
        check("list.id", None);
        check("missing", None);
    }

    #[test]
    fn a_text_has_members() {
        check("shadowed.percent_encoded", Some(json!("%69nner")));
        check("shadowed.near_misses.0", None);
        let rows = json!([
            { "name": "in other case", "text": "A" },
            { "name": "with its last character twice", "text": "aa" },
            { "name": "with another character inside", "text": "x" },
            { "name": "with another last character", "text": "6" },
        ]);
        check("list.0.near_misses", Some(rows));
        check("list.0.unknown", None);
    }

    #[test]
    fn the_innermost_scope_wins() {
        check("shadowed", Some(json!("inner")));
    }

    #[test]
    fn a_secret_is_a_text_with_members() {
        check("secret", Some(json!("s3cret")));
        check("secret.all_but_last", Some(json!("s3cre")));
    }

    #[test]
    fn names_end_with_their_scope() {
        let mut names = Names::default();
        names.push();
        names.set("row", json!(1));
        names.pop();
        names.pop();
        assert_eq!(names.get(&["row".to_owned()]), None);
        names.set("kept", json!(1));
        assert_eq!(names.get(&["kept".to_owned()]), Some(json!(1)));
    }
}
