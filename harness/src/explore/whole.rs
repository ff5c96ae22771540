//! Acts that hold reads against each other: a list against its pages (§2.7), against its filter (§4.6), a
//! log against its request (§4.8). Others may write meanwhile, so that a case with one is confirmed.

use moot_fixtures::contract::{LegalRequestStatus, Operation};
use serde_json::{Value, json};

use super::act::List;
use super::steps::{PAGES_MAX, get};

/// The pages partition the list, and the totals are those of the pages.
pub(super) fn partition(list: List) -> Vec<Value> {
    let operation = list.operation();
    let mut steps = short_enough(operation);
    steps.push(json!({
        "assume": { "<first_page>": { "length": { "min": 1 } } }, "because": "the list is empty",
    }));
    steps.push(json!({
        "name": format!("the first page of {} again", operation.as_str()),
        "request": get(operation), "token": "read",
        "expect": { "pagination.order-stable": { "$.data[*].id": { "equals": "<first_page>" } } },
    }));
    steps.push(json!({
        "name": format!("all pages of {}", operation.as_str()),
        "request": get(operation), "token": "read",
        "each_page": { "at_most": PAGES_MAX, "expect": {
            "pagination.current-page": { "/pagination/current_page": "<page.number>" },
            "pagination.full-until-last": { "/data": { "length": "<page.length_expected>" } },
            "pagination.totals-same-on-each-page": { "/pagination/total_pages": "<total_pages>" },
        } },
        "expect": {
            "pagination.no-item-twice": { "$.items[*].id": { "unique": true } },
            "pagination.total-count-agrees": { "/items": { "length": "<page.total_count>" } },
            "pagination.total-pages-agrees": { "/pages": { "length": "<page.total_pages>" } },
        },
    }));
    once(steps)
}

/// The filter neither leaks nor misses, and counts what it shows.
pub(super) fn filtered(status: LegalRequestStatus) -> Vec<Value> {
    let (operation, status) = (Operation::ListLegalRequests, status.as_str());
    let mut steps = short_enough(operation);
    let in_status = format!("$.items[?@.attributes.status == '{status}'].id");
    steps.push(json!({
        "name": "all requests",
        "request": get(operation), "token": "read", "each_page": { "at_most": PAGES_MAX },
        "capture": { "in_status": in_status },
    }));
    steps.push(json!({
        "name": "all requests in a status",
        "request": get(operation), "token": "read", "query": { "status": status },
        "each_page": { "at_most": PAGES_MAX },
        "expect": {
            "list-legal-requests.filter-does-not-leak": {
                "$.items[*].attributes.status": { "each": status },
            },
            "list-legal-requests.filter-does-not-miss": {
                "$.items[*].id": { "same_members": "<in_status>" },
            },
            "list-legal-requests.filter-counts": {
                "/pages/0/pagination/total_count": "<in_status.length>",
            },
        },
    }));
    once(steps)
}

/// A request has the status under which it is listed, and its log tells that status, each entry once, the same when asked twice, and none of it
/// stands in the log of another.
pub(super) fn log(status: LegalRequestStatus) -> Vec<Value> {
    let status = status.as_str();
    let activity = Operation::GetLegalRequestActivity.as_str();
    let in_status = format!("$.data[?@.attributes.status == '{status}'].id");
    let changes = "$.data[?@.attributes.action == 'status_change'].attributes.description";
    let named = format!("(?i){}", status.replace('_', "[ _-]"));
    once(vec![
        json!({
            "name": "requests in a status",
            "request": get(Operation::ListLegalRequests), "token": "read",
            "query": { "status": status }, "require": { "status": 200 },
            "capture": { "in_status": in_status },
        }),
        json!({
            "assume": { "<in_status>": { "length": { "min": 1 } } },
            "because": "no request is in this status",
        }),
        json!({
            "name": "a request in a status",
            "request": Operation::GetLegalRequest.as_str(), "id": "<in_status.0>", "token": "read",
            "expect": { "states.each-is-shown-by-get": { "/data/attributes/status": status } },
        }),
        json!({
            "name": "the log of a request in a status",
            "request": activity, "id": "<in_status.0>", "token": "read",
            "require": { "status": 200 },
            "capture": { "continued": "$[?@.total_pages > 1]", "entries": "/data" },
        }),
        json!({
            "assume": { "<continued>": { "length": 0 } },
            "because": "the log goes on beyond its first page",
        }),
        json!({
            "name": "the same log again",
            "request": activity, "id": "<in_status.0>", "token": "read",
            "expect": {
                "get-legal-request-activity.tells-current-status": {
                    changes: { "length": { "min": 1 }, "any": { "matches": named } },
                },
                "get-legal-request-activity.stable": {
                    "/data": { "length": { "min": 1 }, "equals": "<entries>" },
                },
                "activity.entry-id-unique": { "$.data[*].id": { "unique": true } },
            },
            "capture": { "entry_ids": "$.data[*].id" },
        }),
        json!({ "let": { "others": { "from": "<in_status>", "at": "$[1:2]" } } }),
        json!({ "for_each": { "other": "<others>" }, "steps": [{
            "name": "the log of another request",
            "request": activity, "id": "<other>", "token": "read",
            "expect": { "get-legal-request-activity.of-the-asked": {
                "status": 200, "$.data[*].id": { "none": { "one_of": "<entry_ids>" } },
            } },
        }] }),
    ])
}

/// Reads the first page, and goes on where there are few enough.
fn short_enough(operation: Operation) -> Vec<Value> {
    vec![
        json!({
            "name": format!("how long {} is", operation.as_str()),
            "request": get(operation), "token": "read", "require": { "status": 200 },
            "capture": { "total_pages": "/pagination/total_pages", "first_page": "$.data[*].id" },
        }),
        json!({
            "assume": { "<total_pages>": { "max": PAGES_MAX } },
            "because": "the list is too long to be walked to its end",
        }),
    ]
}

/// What these assume ends this act, and no other.
fn once(steps: Vec<Value>) -> Vec<Value> {
    vec![json!({ "for_each": { "once": [1] }, "steps": steps })]
}
