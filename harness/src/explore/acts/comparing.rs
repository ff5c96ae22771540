//! Acts that compare several answers: a list with its pages (§2.7), a list with its filter (§4.6), a log
//! with its request (§4.8).

use moot_fixtures::contract::{LegalRequestStatus, Operation};
use proptest::prelude::Strategy;
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Value, json};

use super::menu::Menu;
use super::reading::LISTS;
use crate::explore::act::Act;
use crate::explore::steps::{assume, get, group, short_list, whole_list};

pub(super) fn add(menu: &mut Menu) {
    // The log need not name the first status, `draft`.
    let logged: Vec<LegalRequestStatus> =
        LegalRequestStatus::ALL.into_iter().filter(|it| *it != LegalRequestStatus::Draft).collect();
    let steps = prop_oneof![
        select(&LISTS).prop_map(|(list, _)| partition(list)),
        select(&LegalRequestStatus::ALL).prop_map(filtered),
        select(logged).prop_map(log),
    ];
    menu.add(2, steps.prop_map(|steps| Act { compares: true, ..Act::reading(group(steps)) }));
}

/// The pages partition the list, and agree with its totals.
fn partition(list: Operation) -> Vec<Value> {
    let mut steps = short_list(list);
    let mut all = whole_list(list, &format!("all pages of {}", list.as_str()));
    all["each_page"]["expect"] = json!({
        "pagination.current-page": { "/pagination/current_page": "<page.number>" },
        "pagination.full-until-last": { "/data": { "length": "<page.length_expected>" } },
        "pagination.totals-same-on-each-page": { "/pagination/total_pages": "<total_pages>" },
    });
    all["expect"] = json!({
        "pagination.no-item-twice": { "$.items[*].id": { "unique": true } },
        "pagination.total-count-agrees": { "/items": { "length": "<page.total_count>" } },
        "pagination.total-pages-agrees": { "/pages": { "length": "<page.total_pages>" } },
    });
    steps.extend([
        assume("<first_page>", json!({ "length": { "min": 1 } }), "the list is empty"),
        json!({
            "name": format!("the first page of {} again", list.as_str()),
            "request": get(list), "token": "read",
            "expect": { "pagination.order-stable": { "$.data[*].id": { "equals": "<first_page>" } } },
        }),
        all,
    ]);
    steps
}

/// The filter neither leaks nor misses a request, and its count is right.
fn filtered(status: LegalRequestStatus) -> Vec<Value> {
    let status = status.as_str();
    let mut steps = short_list(Operation::ListLegalRequests);
    let mut all = whole_list(Operation::ListLegalRequests, "all requests");
    all["capture"] =
        json!({ "in_status": format!("$.items[?@.attributes.status == '{status}'].id") });
    let mut in_status = whole_list(Operation::ListLegalRequests, "all requests in a status");
    in_status["query"] = json!({ "status": status });
    in_status["expect"] = json!({
        "list-legal-requests.filter-does-not-leak": {
            "$.items[*].attributes.status": { "each": status },
        },
        "list-legal-requests.filter-does-not-miss": {
            "$.items[*].id": { "same_members": "<in_status>" },
        },
        "list-legal-requests.filter-counts": {
            "/pages/0/pagination/total_count": "<in_status.length>",
        },
    });
    steps.extend([all, in_status]);
    steps
}

/// A request has the status under which it is listed. Its log names that status, is the same when it is
/// read twice, and shares no entry with the log of another request.
fn log(status: LegalRequestStatus) -> Vec<Value> {
    let status = status.as_str();
    let activity = Operation::GetLegalRequestActivity.as_str();
    let changes = "$.data[?@.attributes.action == 'status_change'].attributes.description";
    let named = format!("(?i){}", status.replace('_', "[ _-]"));
    vec![
        json!({
            "name": "requests in a status",
            "request": get(Operation::ListLegalRequests), "token": "read",
            "query": { "status": status }, "require": { "status": 200 },
            "capture": { "in_status": format!("$.data[?@.attributes.status == '{status}'].id") },
        }),
        assume("<in_status>", json!({ "length": { "min": 1 } }), "no request is in this status"),
        json!({
            "name": "a request in a status",
            "request": Operation::GetLegalRequest.as_str(), "id": "<in_status.0>", "token": "read",
            "expect": { "states.each-is-shown-by-get": { "/data/attributes/status": status } },
        }),
        json!({
            "name": "the log of a request in a status",
            "request": activity, "id": "<in_status.0>", "token": "read",
            "require": { "status": 200 },
            "capture": { "further_pages": "$[?@.total_pages > 1]", "entries": "/data" },
        }),
        assume("<further_pages>", json!({ "length": 0 }), "the log has more than one page"),
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
    ]
}
