//! Parts of steps that several acts share, as JSON of the scenario language.
//!
//! Every check is a row of the register, as in any scenario. The implicit checks judge each exchange
//! besides. Where the specification leaves the answer open, the acts state nothing.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

/// Lists with more pages are not read to their end.
pub(super) const PAGES_MAX: u32 = 40;

/// `GET` of a list.
pub(super) fn get(operation: Operation) -> String {
    format!("GET {}", operation.path())
}

/// An object with one member.
pub(super) fn one(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// A drawn text, escaped for the scenario language.
pub(super) fn literal(text: &str) -> Value {
    text.replace('<', "<<").into()
}

/// Any status of success.
pub(super) fn success() -> Value {
    json!({ "status": { "min": 200, "max": 299 } })
}

/// Any status of a client error.
pub(super) fn client_error() -> Value {
    json!({ "status": { "min": 400, "max": 499 } })
}

/// A group of steps. An assumption that does not hold ends the group and not the case.
pub(super) fn group(steps: Vec<Value>) -> Vec<Value> {
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}

/// The group goes on only where this holds.
pub(super) fn assume(name: &str, holds: Value, because: &str) -> Value {
    json!({ "assume": one(name, holds), "because": because })
}

/// Reads the first page of a list. The group goes on only where the list has few enough pages.
pub(super) fn short_list(operation: Operation) -> Vec<Value> {
    vec![
        json!({
            "name": format!("the length of {}", operation.as_str()),
            "request": get(operation), "token": "read", "require": { "status": 200 },
            "capture": { "total_pages": "/pagination/total_pages", "first_page": "$.data[*].id" },
        }),
        assume(
            "<total_pages>",
            json!({ "max": PAGES_MAX }),
            "the list is too long to be read whole",
        ),
    ]
}

/// Reads all pages of a list.
pub(super) fn whole_list(operation: Operation, name: &str) -> Value {
    json!({
        "name": name, "request": get(operation), "token": "read",
        "each_page": { "at_most": PAGES_MAX },
    })
}

/// The created object is on one of the pages of the list, once, under its name.
pub(super) fn then_listed(operation: Operation, row: &str) -> Vec<Value> {
    let mut list = whole_list(operation, "the list with the created object");
    let names = "$.items[?@.id == '<created>'].attributes.name";
    list["expect"] = one(row, one(names, json!({ "equals": ["<created_name>"] })));
    let mut steps = short_list(operation);
    steps.push(list);
    steps
}

/// A body that breaks the rules of multipart is refused, and nothing is stored.
pub(super) fn broken_multipart(path: &str, text: &str, row: &str) -> Value {
    json!({
        "name": "a body that is not a form",
        "request": format!("POST {path}"), "token": "write",
        "raw": { "content_type": "multipart/form-data; boundary=moot", "text": literal(text) },
        "unchanged": [format!("GET {path}")],
        "expect": one(row, client_error()),
    })
}
