//! Small edits of JSON bodies.
//!
//! A place is a JSON Pointer in which `*` stands for each member of a list, or for the value itself
//! where it is none: `/data/*/attributes/name` finds the names of a list and the name of a resource.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::message::json::json_bytes;
use crate::message::response::{Response, ResponseBody};

/// What becomes of a member.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edit {
    /// It is left out.
    Drop,
    /// It is null.
    Null,
    /// It is this number.
    Number(i64),
    /// It is this text.
    Text(&'static str),
    /// It is this flag.
    Flag(bool),
    /// It is an empty list.
    NoList,
    /// A value that is no text is written as one.
    AsText,
    /// A text is cut down to its first so many characters.
    Cut(usize),
    /// This is put before a text.
    Prefix(&'static str),
    /// This is added to a number.
    Add(i64),
    /// It is put into a list.
    Listed,
    /// It is there under another name.
    Rename(&'static str),
    /// An object or a list gets this text, an object under this name.
    Put(&'static str, &'static str),
    /// A list is turned around.
    Reverse,
    /// A list loses its last member.
    Shorten,
    /// A list loses its first member.
    Skip,
    /// A list has its first member twice.
    Repeat,
    /// An object is only what this member of it is.
    Unwrap(&'static str),
}

/// Rewrites the JSON body of a response, if it has one; gives whether it changed.
pub(crate) fn rewrite(response: &mut Response, edit: impl FnOnce(&mut Value)) -> bool {
    let ResponseBody::Bytes(bytes) = &response.body else { return false };
    let Ok(before) = serde_json::from_slice::<Value>(bytes) else { return false };
    let mut after = before.clone();
    edit(&mut after);
    if after == before {
        return false;
    }
    response.body = ResponseBody::Bytes(Bytes::from(json_bytes(&after)));
    true
}

/// Edits every member that `at` leads to.
pub(crate) fn edit(body: &mut Value, at: &str, edit: Edit) {
    let names: Vec<&str> = at.split('/').skip(1).collect();
    match names.split_last() {
        None => apply(body, edit),
        Some((last, parents)) => visit(body, parents, &mut |parent| member(parent, last, edit)),
    }
}

fn visit(value: &mut Value, names: &[&str], leaf: &mut dyn FnMut(&mut Value)) {
    match (names.split_first(), value) {
        (None, value) => leaf(value),
        (Some((&"*", rest)), Value::Array(members)) => {
            for member in members {
                visit(member, rest, leaf);
            }
        }
        (Some((&"*", rest)), value) => visit(value, rest, leaf),
        (Some((name, rest)), Value::Object(members)) => {
            if let Some(member) = members.get_mut(*name) {
                visit(member, rest, leaf);
            }
        }
        (Some(_), _) => {}
    }
}

/// A member of `parent`: edits that need its surroundings are done here.
fn member(parent: &mut Value, name: &str, edit: Edit) {
    if name == "*" {
        return visit(parent, &["*"], &mut |value| apply(value, edit));
    }
    let Value::Object(members) = parent else { return };
    match edit {
        Edit::Drop => drop(members.shift_remove(name)),
        Edit::Rename(other) => {
            if let Some(value) = members.shift_remove(name) {
                members.insert(other.to_owned(), value);
            }
        }
        _ => {
            if let Some(value) = members.get_mut(name) {
                apply(value, edit);
            }
        }
    }
}

/// Edits one value.
pub(crate) fn apply(value: &mut Value, edit: Edit) {
    match (edit, &mut *value) {
        (Edit::Null, _) => *value = Value::Null,
        (Edit::Number(number), _) => *value = json!(number),
        (Edit::Text(text), _) => *value = json!(text),
        (Edit::Flag(flag), _) => *value = json!(flag),
        (Edit::NoList, _) => *value = json!([]),
        (Edit::AsText, Value::String(_)) => {}
        (Edit::AsText, other) => *value = json!(other.to_string()),
        (Edit::Cut(length), Value::String(text)) => *text = text.chars().take(length).collect(),
        (Edit::Prefix(start), Value::String(text)) => text.insert_str(0, start),
        (Edit::Add(more), Value::Number(number)) => {
            *value = json!(number.as_i64().unwrap_or_default().saturating_add(more));
        }
        (Edit::Listed, other) => *value = json!([other.take()]),
        (Edit::Put(name, text), Value::Object(members)) => {
            members.insert(name.to_owned(), json!(text));
        }
        (Edit::Put(_, text), Value::Array(members)) => members.push(json!(text)),
        (Edit::Reverse, Value::Array(members)) => members.reverse(),
        (Edit::Shorten, Value::Array(members)) => drop(members.pop()),
        (Edit::Skip, Value::Array(members)) if !members.is_empty() => drop(members.remove(0)),
        (Edit::Repeat, Value::Array(members)) => members.extend(members.first().cloned()),
        (Edit::Unwrap(name), Value::Object(members)) => {
            if let Some(inner) = members.get_mut(name) {
                *value = inner.take();
            }
        }
        // A place of another kind stays as it is.
        (
            Edit::Drop
            | Edit::Rename(_)
            | Edit::Cut(_)
            | Edit::Prefix(_)
            | Edit::Add(_)
            | Edit::Put(..)
            | Edit::Reverse
            | Edit::Shorten
            | Edit::Skip
            | Edit::Repeat
            | Edit::Unwrap(_),
            _,
        ) => {}
    }
}

/// Visits the custom fields of one document or of a list of them.
pub(crate) fn each_custom_field(body: &mut Value, mut change: impl FnMut(&mut Value)) {
    visit(body, &["data", "*", "attributes", "custom_fields"], &mut |fields| {
        if let Value::Object(fields) = fields {
            fields.values_mut().for_each(&mut change);
        }
    });
}

/// Ties documents without a request to this one.
pub(crate) fn each_untied(body: &mut Value, to: &Value) {
    visit(body, &["data", "*", "relationships", "legal_request", "data"], &mut |data| {
        if data.is_null() {
            *data = to.clone();
        }
    });
}

/// Writes empty custom fields as lists.
pub(crate) fn empty_fields_as_lists(body: &mut Value) {
    visit(body, &["data", "*", "attributes", "custom_fields"], &mut |fields| {
        if fields.as_object().is_some_and(serde_json::Map::is_empty) {
            *fields = json!([]);
        }
    });
}

/// Shows one status of requests as another.
pub(crate) fn restate(body: &mut Value, from: &str, to: &str) {
    replace(body, &["data", "*", "attributes", "status"], from, to);
}

/// Shows one action of activity entries as another.
pub(crate) fn reaction(body: &mut Value, from: &str, to: &str) {
    replace(body, &["data", "*", "attributes", "action"], from, to);
}

fn replace(body: &mut Value, names: &[&str], from: &str, to: &str) {
    visit(body, names, &mut |value| {
        if value == from {
            *value = json!(to);
        }
    });
}

/// Takes the second status change out of a log, whichever end is the newer.
pub(crate) fn forget_change(body: &mut Value) {
    let Some(entries) = body.get_mut("data").and_then(Value::as_array_mut) else { return };
    let is_change = |entry: &Value| {
        entry.pointer("/attributes/action").is_some_and(|action| action == "status_change")
    };
    let mut changes = entries.iter().enumerate().filter(|(_, entry)| is_change(entry));
    if let Some((second, _)) = changes.nth(1) {
        entries.remove(second);
    }
}
