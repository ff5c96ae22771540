//! Defects of pages (§2.7, §4): counts, sizes, members on two pages.

use moot_fixtures::contract::Operation::{
    self, ListLegalRequests, ListRepositoryDocuments, ListWebhooks, ListWorkflows,
};
use serde_json::Value;

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Said, Seam, success};
use crate::message::response::Response;

const LISTS: &[Operation] =
    &[ListWorkflows, ListLegalRequests, ListRepositoryDocuments, ListWebhooks];
/// The members of a page that the core gives.
const PAGE_SIZE: u64 = 25;

const SHAPES: &[&str] = &[
    "list-workflows.shape",
    "list-legal-requests.shape",
    "list-repository-documents.shape",
    "list-webhooks.shape",
];

pub(super) const ROWS: &[Defect] = &[
    row(
        "page.current-page-text",
        "2.7",
        &["pagination.current-page-is-integer"],
        "The current page is a text.",
        success(LISTS, "/pagination/current_page", Edit::AsText),
    )
    .also(&[
        "list-workflows.shape",
        "list-legal-requests.shape",
        "list-repository-documents.shape",
        "list-webhooks.shape",
        "pagination.current-page",
        "pagination.page-default-1",
    ]),
    row(
        "page.per-page-null",
        "2.7",
        &["pagination.per-page-is-integer"],
        "The page size is null.",
        success(LISTS, "/pagination/per_page", Edit::Null),
    )
    .also(&[
        "list-workflows.shape",
        "list-legal-requests.shape",
        "list-repository-documents.shape",
        "list-webhooks.shape",
        "pagination.per-page-25",
        "pagination.full-until-last",
    ]),
    row(
        "page.total-pages-text",
        "2.7",
        &["pagination.total-pages-is-integer"],
        "The number of pages is a text.",
        success(LISTS, "/pagination/total_pages", Edit::AsText),
    )
    .also(&[
        "list-workflows.shape",
        "list-legal-requests.shape",
        "list-repository-documents.shape",
        "list-webhooks.shape",
        "pagination.total-pages-agrees",
    ]),
    row(
        "page.total-count-missing",
        "2.7",
        &["pagination.total-count-is-integer"],
        "The number of members is left out.",
        success(LISTS, "/pagination/total_count", Edit::Drop),
    )
    .also(&[
        "list-workflows.shape",
        "list-legal-requests.shape",
        "list-repository-documents.shape",
        "list-webhooks.shape",
        "pagination.total-count-agrees",
        "pagination.empty-list",
        "list-workflows.filter-counts",
        "list-legal-requests.filter-counts",
    ]),
    row(
        "page.size-20",
        "2.7",
        &["pagination.per-page-25"],
        "A list says that its pages hold 20 members.",
        success(LISTS, "/pagination/per_page", Edit::Number(20)),
    )
    .also(&["pagination.full-until-last"]),
    row(
        "page.counts-from-zero",
        "2.7",
        &["pagination.current-page"],
        "The current page is counted from zero.",
        success(LISTS, "/pagination/current_page", Edit::Add(-1)),
    )
    .also(&["pagination.page-default-1"]),
    row(
        "page.default-2",
        "4",
        &["pagination.page-default-1"],
        "Without a page parameter a list answers with its second page.",
        Seam::Answer(|asked, outcome| {
            let is_list = LISTS.contains(&asked.call.admitted.operation);
            match (is_list, asked.call.head.query) {
                (true, None) => asked.with_query(Some("page=2")),
                _ => outcome,
            }
        }),
    )
    .also(&["pagination.total-count-agrees", "pagination.current-page"]),
    row(
        "page.ignored",
        "4",
        &["pagination.page-selects"],
        "The page parameter changes the current page and not the members.",
        Seam::Answer(|asked, mut outcome| {
            let is_list = LISTS.contains(&asked.call.admitted.operation);
            if let (true, Some(page)) = (is_list, page_of(asked.call.head.query)) {
                let query = asked.query_without("page");
                let mut first = asked.with_query(query.as_deref());
                edit::rewrite(&mut first.response, |body| {
                    edit::edit(body, "/pagination/current_page", Edit::Number(page));
                });
                outcome = first;
            }
            outcome
        }),
    )
    .also(&[
        "pagination.no-item-twice",
        "pagination.three-pages",
        "pagination.full-until-last",
    ]),
    row(
        "page.third-is-missing",
        "4",
        &["pagination.three-pages"],
        "The third page of a list is empty.",
        Seam::Reply(|said, response| {
            if is_list(said) && page_of(said.query) == Some(3) {
                edit::rewrite(response, |body| edit::edit(body, "/data", Edit::NoList));
            }
        }),
    )
    .also(&[
        "pagination.full-until-last",
        "pagination.total-count-agrees",
        "pagination.total-pages-agrees",
        "pagination.page-selects",
    ]),
    row(
        "page.one-short",
        "2.7",
        &["pagination.full-until-last"],
        "A page holds one member less than its size says.",
        Seam::Reply(|said, response| full_pages(said, response, &[Edit::Shorten])),
    )
    .also(&["pagination.total-count-agrees"]),
    row(
        "page.overlaps",
        "2.7",
        &["pagination.no-item-twice"],
        "The first member of a page stands at its end too, in place of the last.",
        Seam::Reply(|said, response| full_pages(said, response, &[Edit::Shorten, Edit::Repeat])),
    )
    .also(&["pagination.total-count-agrees", "create-webhook.then-listed"]),
    row(
        "page.total-count-of-page",
        "2.7",
        &["pagination.total-count-agrees"],
        "The total count is the number of members of the page.",
        Seam::Reply(|said, response| {
            if is_list(said) {
                edit::rewrite(response, |body| {
                    let count = length(body);
                    if let Some(total) = body.pointer_mut("/pagination/total_count") {
                        *total = count.into();
                    }
                });
            }
        }),
    )
    .also(&[
        "pagination.totals-same-on-each-page",
        "list-workflows.filter-counts",
        "list-legal-requests.filter-counts",
    ]),
    row(
        "page.total-pages-one-more",
        "2.7",
        &["pagination.total-pages-agrees"],
        "The number of pages is one too large.",
        success(LISTS, "/pagination/total_pages", Edit::Add(1)),
    )
    .also(&["pagination.full-until-last"]),
    row(
        "page.total-pages-rounded-down",
        "2.7",
        &["pagination.total-pages-agrees"],
        "The number of pages leaves out the last one, which is not full.",
        success(LISTS, "/pagination/total_pages", Edit::Add(-1)),
    )
    .also(&["pagination.total-count-agrees"]),
    row(
        "page.totals-shrink",
        "2.7",
        &["pagination.totals-same-on-each-page"],
        "Each page tells only what is left from it on.",
        Seam::Reply(|said, response| {
            let before = page_of(said.query).filter(|page| *page > 1 && is_list(said));
            if let Some(page) = before {
                edit::rewrite(response, |body| {
                    edit::edit(body, "/pagination/total_pages", Edit::Add(1 - page));
                    edit::edit(body, "/pagination/total_count", Edit::Add(25 - 25 * page));
                });
            }
        }),
    )
    .also(&["pagination.total-count-agrees", "pagination.total-pages-agrees"]),
    row(
        "page.order-changes",
        "4",
        &["pagination.order-stable"],
        "A page has another order each time it is read.",
        Seam::Answer(|asked, mut outcome| {
            let is_list = LISTS.contains(&asked.call.admitted.operation);
            let is_odd = asked.call.admitted.serial % 2 == 1;
            if is_list && is_odd {
                edit::rewrite(&mut outcome.response, |body| {
                    edit::edit(body, "/data", Edit::Reverse);
                });
            }
            outcome
        }),
    )
    .also(&["pagination.page-default-1"]),
    row(
        "page.empty-counts-one",
        "2.7",
        &["pagination.empty-list"],
        "An empty list counts one member.",
        Seam::Reply(|said, response| {
            if is_list(said) {
                edit::rewrite(response, |body| {
                    let total = body.pointer("/pagination/total_count").and_then(Value::as_u64);
                    if total == Some(0) {
                        edit::edit(body, "/pagination/total_count", Edit::Number(1));
                    }
                });
            }
        }),
    ),
    row(
        "page.pagination-renamed",
        "4.2",
        SHAPES,
        "The pagination of a list is in the member `meta`.",
        success(LISTS, "/pagination", Edit::Rename("meta")),
    )
    .also(&[
        "pagination.current-page-is-integer",
        "pagination.per-page-is-integer",
        "pagination.total-pages-is-integer",
        "pagination.total-count-is-integer",
        "pagination.current-page",
        "pagination.page-default-1",
        "pagination.per-page-25",
        "pagination.empty-list",
    ]),
];

fn is_list(said: &Said<'_>) -> bool {
    said.operation.is_some_and(|operation| LISTS.contains(&operation))
}

fn length(body: &Value) -> u64 {
    body.get("data").and_then(Value::as_array).map_or(0, |data| data.len() as u64)
}

/// Edits the members of a page that is full.
fn full_pages(said: &Said<'_>, response: &mut Response, edits: &[Edit]) {
    if is_list(said) {
        edit::rewrite(response, |body| {
            if length(body) == PAGE_SIZE {
                edits.iter().for_each(|edit| edit::edit(body, "/data", *edit));
            }
        });
    }
}

fn page_of(query: Option<&str>) -> Option<i64> {
    let mut pairs = form_urlencoded::parse(query?.as_bytes());
    pairs.find(|(name, _)| name == "page").and_then(|(_, page)| page.parse().ok())
}
