//! From an act to steps of the scenario language: what is sent, and what must hold for it.
//!
//! Every check is a row of the register, as in any scenario; the implicit checks judge each exchange
//! beside. Where §4 leaves the answer open, nothing is stated here.

use moot_fixtures::contract::Operation;
use serde_json::{Map, Value, json};

use super::act::{Act, Filter, Hidden, List, Single};
use super::{access, addresses, creating, hidden, odd, requests, webhooks, whole};

/// Pages of a list that are walked to find what was created.
pub(super) const PAGES_MAX: u32 = 40;

/// The steps of the act at this place of its case, from 0; every name begins with the place, from 1.
pub(super) fn steps(act: &Act, number: usize) -> Vec<Value> {
    let mut steps = unnumbered(act, number);
    steps.iter_mut().for_each(|step| put_number(step, number + 1));
    steps
}

fn put_number(step: &mut Value, number: usize) {
    if let Some(Value::String(name)) = step.get_mut("name") {
        *name = format!("{number}. {name}");
    }
    for inner in ["steps", "finally"] {
        let steps = step.get_mut(inner).and_then(Value::as_array_mut);
        steps.into_iter().flatten().for_each(|step| put_number(step, number));
    }
}

fn unnumbered(act: &Act, number: usize) -> Vec<Value> {
    match act {
        Act::Page { list, page, filter } => {
            vec![page_step(*list, page.as_deref(), filter.as_ref())]
        }
        Act::Read { single, row } => read(*single, *row, number),
        Act::Spy { single, row } => spy(*single, *row, number),
        Act::Unknown { single, id, is_plain } => vec![unknown(*single, id, *is_plain)],
        Act::Request { workflow, flaw } => requests::request(*workflow, flaw.as_ref(), number),
        Act::Upload { name, metadata, flaw } => {
            creating::upload(name, metadata.as_ref(), flaw.as_ref(), number)
        }
        Act::Address { address } => addresses::upload(address, number),
        Act::Webhook { name, flaw } => webhooks::register(name, flaw.as_ref(), number),
        Act::DeleteUnknown { id } => vec![webhooks::delete_unknown(id)],
        Act::Whole { list } => whole::partition(*list),
        Act::Filtered { status } => whole::filtered(*status),
        Act::Log { status } => whole::log(*status),
        Act::Hide { hidden: Hidden::Document } => hidden::document(number),
        Act::Hide { hidden: Hidden::Webhook } => hidden::webhook(number),
        Act::Token { flaw } => vec![access::token(flaw.as_ref())],
        Act::Altered => access::altered(),
        Act::Denied { operation, token } => vec![access::denied(*operation, token)],
        Act::Odd { odd } => vec![odd::odd(odd)],
        Act::Stray { method, path } => vec![stray(method, path)],
    }
}

/// Whether some method is offered at a path that was drawn to be strayed to.
pub(super) fn is_known(path: &str) -> bool {
    !(path.starts_with("/v1/no_") || path.ends_with("/no_such_thing"))
}

fn stray(method: &str, path: &str) -> Value {
    let row = if is_known(path) { "http.wrong-method" } else { "http.unknown-path" };
    json!({
        "name": format!("{method} of what is not there"),
        "request": format!("{method} {path}"),
        "token": if method == "GET" { "read" } else { "write" },
        "expect": one(row, json!({ "status": { "min": 400, "max": 499 } })),
    })
}

/// `GET` of a path of §4.
pub(super) fn get(operation: Operation) -> String {
    format!("GET {}", operation.path())
}

/// An object of one member.
pub(super) fn one(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

fn page_step(list: List, page: Option<&str>, filter: Option<&Filter>) -> Value {
    let operation = list.operation();
    let mut query = Map::new();
    query.extend(page.map(|page| ("page".to_owned(), literal(page))));
    let mut expect = Map::new();
    let known = match filter {
        None => None,
        Some(Filter::LegalRequest(status)) => Some((status.as_str(), "list-legal-requests")),
        Some(Filter::Workflow(status)) => Some((status.as_str(), "list-workflows")),
        Some(Filter::Other(text)) => {
            query.insert("status".to_owned(), literal(text));
            None
        }
    };
    if let Some((status, prefix)) = known {
        query.insert("status".to_owned(), status.into());
        if page.is_none_or(|page| page == "1") {
            expect.insert(
                format!("{prefix}.filter-does-not-leak"),
                json!({ "$.data[*].attributes.status": { "each": status } }),
            );
        }
    }
    // Further pages may lie past the end, and what an unknown filter does is open.
    let is_sound = page.is_none_or(|page| page == "1") && !matches!(filter, Some(Filter::Other(_)));
    if is_sound {
        expect.insert(listed(list).to_owned(), json!({ "status": 200 }));
    }
    let mut step = json!({
        "name": format!("a page of {}", operation.as_str()),
        "request": get(operation),
        "token": "read",
    });
    set(&mut step, "query", query);
    set(&mut step, "expect", expect);
    step
}

/// Sets a map that is not empty.
pub(super) fn set(step: &mut Value, key: &str, members: Map<String, Value>) {
    if !members.is_empty() {
        step[key] = Value::Object(members);
    }
}

/// A text as the language takes it literally.
pub(super) fn literal(text: &str) -> Value {
    text.replace('<', "<<").into()
}

/// The row that says that reading a list succeeds.
fn listed(list: List) -> &'static str {
    match list {
        List::Workflows => "list-workflows.status-200",
        List::LegalRequests => "list-legal-requests.status-200",
        List::Documents => "list-repository-documents.status-200",
        List::Webhooks => "list-webhooks.status-200",
    }
}

/// Reads the first page; `found` is a list of at most one id, and `ours` of all.
fn find(single: Single, row: u8, number: usize) -> Value {
    let mut step = json!({
        "name": format!("an id for {}", single.operation().as_str()),
        "request": get(single.list().operation()),
        "token": "read",
        "require": { "status": 200 },
    });
    if single == Single::Schema {
        step["query"] = json!({ "status": "published" });
    }
    let mut capture = Map::new();
    let row = usize::from(row);
    capture.insert(format!("found_{number}"), format!("$.data[{row}:{}].id", row + 1).into());
    capture.insert(format!("ours_{number}"), "$.data[*].id".into());
    set(&mut step, "capture", capture);
    step
}

/// The same for each id that was found: none or one.
fn each_found(number: usize, steps: Value) -> Value {
    json!({ "for_each": one("item", format!("<found_{number}>").into()), "steps": steps })
}

fn read(single: Single, row: u8, number: usize) -> Vec<Value> {
    let operation = single.operation();
    let same_id = json!({ "status": 200, "/data/id": "<item>" });
    let expect = match single {
        Single::Workflow => json!({
            "get-workflow.status-200": { "status": 200 }, "get-workflow.returns-the-asked": same_id,
        }),
        Single::Schema => json!({ "get-workflow-schema.exists": { "status": 200 } }),
        Single::LegalRequest => json!({
            "get-legal-request.status-200": { "status": 200 },
            "get-legal-request.returns-the-asked": same_id,
        }),
        Single::Activity => json!({ "get-legal-request-activity.status-200": { "status": 200 } }),
        Single::Document => json!({ "get-repository-document.returns-the-asked": same_id }),
    };
    let step = json!({
        "name": format!("{} by id", operation.as_str()),
        "request": operation.as_str(), "id": "<item>", "token": "read", "expect": expect,
    });
    vec![find(single, row, number), each_found(number, json!([step]))]
}

fn spy(single: Single, row: u8, number: usize) -> Vec<Value> {
    let operation = single.operation();
    let (own, list) = match single {
        Single::Workflow => ("isolation.get-workflow", "isolation.list-workflows"),
        Single::Schema => ("isolation.get-workflow-schema", "isolation.list-workflows"),
        Single::LegalRequest => ("isolation.get-legal-request", "isolation.list-legal-requests"),
        Single::Activity => {
            ("isolation.get-legal-request-activity", "isolation.list-legal-requests")
        }
        Single::Document => {
            ("isolation.get-repository-document", "isolation.list-repository-documents")
        }
    };
    let read = json!({
        "name": format!("{} of another company", operation.as_str()),
        "request": operation.as_str(), "id": "<item>", "as": "other_company", "token": "read",
        "expect": one(own, json!({ "status": [403, 404] })),
    });
    let none_of_ours = json!({ "none": { "one_of": format!("<ours_{number}>") } });
    let listed = json!({
        "name": format!("{} as another company", single.list().operation().as_str()),
        "request": get(single.list().operation()), "as": "other_company", "token": "read",
        "expect": one(list, one("$.data[*].id", none_of_ours)),
    });
    vec![find(single, row, number), each_found(number, json!([read])), listed]
}

fn unknown(single: Single, id: &str, is_plain: bool) -> Value {
    let operation = single.operation();
    let row = match single {
        Single::Workflow => "get-workflow.unknown-404",
        Single::Schema => "get-workflow-schema.unknown-404",
        Single::LegalRequest => "get-legal-request.unknown-404",
        Single::Activity => "get-legal-request-activity.unknown-404",
        Single::Document => "get-repository-document.unknown-404",
    };
    let mut step = json!({
        "name": format!("{} of an unknown id", operation.as_str()),
        "request": operation.as_str(), "id": literal(id), "token": "read",
    });
    if is_plain {
        let expected = match single {
            Single::LegalRequest | Single::Activity => {
                json!({ "status": 404, "problem": "request_not_found" })
            }
            // Of which type the problem is, is open (`not_found_type`).
            Single::Workflow | Single::Schema | Single::Document => json!({ "status": 404 }),
        };
        step["expect"] = one(row, expected);
    }
    step
}
