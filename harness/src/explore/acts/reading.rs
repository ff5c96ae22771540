//! Acts that read: a page of a list, an object by its id, an unknown id.

use moot_fixtures::contract::{LegalRequestStatus, Operation, WorkflowStatus};
use proptest::option;
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use serde_json::{Value, json};

use super::menu::Menu;
use crate::explore::inputs::{NASTY_ID, PLAIN_ID, QUERY, ROWS, one_of};
use crate::explore::steps::{get, literal, one};

/// The lists, each with the row that says that reading it succeeds.
pub(super) const LISTS: [(Operation, &str); 4] = [
    (Operation::ListWorkflows, "list-workflows.status-200"),
    (Operation::ListLegalRequests, "list-legal-requests.status-200"),
    (Operation::ListRepositoryDocuments, "list-repository-documents.status-200"),
    (Operation::ListWebhooks, "list-webhooks.status-200"),
];

/// The operations that read an object by its id, each with the list that has its ids.
const SINGLES: [(Operation, Operation); 5] = [
    (Operation::GetWorkflow, Operation::ListWorkflows),
    (Operation::GetWorkflowSchema, Operation::ListWorkflows),
    (Operation::GetLegalRequest, Operation::ListLegalRequests),
    (Operation::GetLegalRequestActivity, Operation::ListLegalRequests),
    (Operation::GetRepositoryDocument, Operation::ListRepositoryDocuments),
];

pub(super) fn add(menu: &mut Menu) {
    menu.add_reading(5, page());
    menu.add_reading(
        4,
        single().prop_map(|(of, row)| vec![find(of, row), for_found(read_found(of.0))]),
    );
    menu.add_reading(
        3,
        (select(&SINGLES), prop_oneof![(PLAIN_ID, Just(true)), (NASTY_ID, Just(false))])
            .prop_map(|((operation, _), (id, is_plain))| vec![unknown(operation, &id, is_plain)]),
    );
}

/// An operation of [`SINGLES`], and a row of its list.
pub(super) fn single() -> impl Strategy<Value = ((Operation, Operation), usize)> {
    (select(&SINGLES), 0..ROWS)
}

/// Finds the id of the `row`th member of a list. `<found>` is a list of at most this one id, `<ours>` one
/// of all ids of the page.
pub(super) fn find((operation, list): (Operation, Operation), row: usize) -> Value {
    let mut step = json!({
        "name": format!("an id for {}", operation.as_str()),
        "request": get(list), "token": "read", "require": { "status": 200 },
        "capture": { "found": format!("$.data[{row}:{}].id", row + 1), "ours": "$.data[*].id" },
    });
    if operation == Operation::GetWorkflowSchema {
        step["query"] = json!({ "status": "published" });
    }
    step
}

/// The step for the id that was found, if there is one.
pub(super) fn for_found(step: Value) -> Value {
    json!({ "for_each": { "item": "<found>" }, "steps": [step] })
}

/// A page of a list: any `page`, and any `status` where the list has this filter.
fn page() -> impl Strategy<Value = Vec<Value>> {
    Union::new(LISTS.map(|list| {
        let page = prop_oneof![
            3 => Just(None),
            3 => (1_u32..=4).prop_map(|page| Some(page.to_string())),
            1 => one_of(&["0", "-1", "1.5", "abc", "", "99999", "18446744073709551616"])
                .prop_map(Some),
            1 => QUERY.prop_map(Some),
        ];
        (page, status_filter(list.0))
            .prop_map(move |(page, filter)| vec![page_step(list, page.as_deref(), filter)])
    }))
}

/// A value of the query parameter `status`. A known value comes with the row about its filter.
fn status_filter(list: Operation) -> BoxedStrategy<Option<(String, Option<&'static str>)>> {
    let (known, row) = match list {
        Operation::ListLegalRequests => (
            LegalRequestStatus::ALL.map(LegalRequestStatus::as_str).to_vec(),
            "list-legal-requests.filter-does-not-leak",
        ),
        Operation::ListWorkflows => (
            WorkflowStatus::ALL.map(WorkflowStatus::as_str).to_vec(),
            "list-workflows.filter-does-not-leak",
        ),
        _ => return Just(None).boxed(),
    };
    let known = select(known).prop_map(move |status| (status.to_owned(), Some(row)));
    option::of(prop_oneof![3 => known, 1 => QUERY.prop_map(|text| (text, None))]).boxed()
}

fn page_step(
    (list, succeeds): (Operation, &str),
    page: Option<&str>,
    filter: Option<(String, Option<&str>)>,
) -> Value {
    let mut step = json!({
        "name": format!("a page of {}", list.as_str()), "request": get(list), "token": "read",
    });
    if let Some(page) = page {
        step["query"]["page"] = literal(page);
    }
    // Further pages may lie past the end, and the answer to an unknown filter is open.
    let is_first = page.is_none_or(|page| page == "1");
    match filter {
        None if is_first => step["expect"] = one(succeeds, json!({ "status": 200 })),
        None => {}
        Some((status, row)) => {
            step["query"]["status"] = literal(&status);
            if let Some(row) = row.filter(|_| is_first) {
                step["expect"] =
                    one(row, json!({ "$.data[*].attributes.status": { "each": status } }));
                step["expect"][succeeds] = json!({ "status": 200 });
            }
        }
    }
    step
}

fn read_found(operation: Operation) -> Value {
    let same_id = json!({ "status": 200, "/data/id": "<item>" });
    let status = json!({ "status": 200 });
    let expect = match operation {
        Operation::GetWorkflow => json!({
            "get-workflow.status-200": status, "get-workflow.returns-the-asked": same_id,
        }),
        Operation::GetWorkflowSchema => json!({ "get-workflow-schema.exists": status }),
        Operation::GetLegalRequest => json!({
            "get-legal-request.status-200": status, "get-legal-request.returns-the-asked": same_id,
        }),
        Operation::GetLegalRequestActivity => {
            json!({ "get-legal-request-activity.status-200": status })
        }
        _ => json!({ "get-repository-document.returns-the-asked": same_id }),
    };
    json!({
        "name": format!("{} by id", operation.as_str()),
        "request": operation.as_str(), "id": "<item>", "token": "read", "expect": expect,
    })
}

/// Only an id of letters and digits must be answered 404.
fn unknown(operation: Operation, id: &str, is_plain: bool) -> Value {
    let mut step = json!({
        "name": format!("{} of an unknown id", operation.as_str()),
        "request": operation.as_str(), "id": literal(id), "token": "read",
    });
    if is_plain {
        let expected = match operation {
            Operation::GetLegalRequest | Operation::GetLegalRequestActivity => {
                json!({ "status": 404, "problem": "request_not_found" })
            }
            // The type of the problem is open (`not_found_type`).
            _ => json!({ "status": 404 }),
        };
        let row = format!("{}.unknown-404", operation.as_str().replace('_', "-"));
        step["expect"] = one(&row, expected);
    }
    step
}
