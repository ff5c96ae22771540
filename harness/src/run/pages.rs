//! Reads all pages of a list, and makes one document of them.

use bytes::Bytes;
use moot_fixtures::contract::Scopes;
use serde_json::{Value, json};

use crate::scenario::model::{EachPage, Json, RequestLine, RequestShape, Text, TokenChoice};
use crate::verdict::check::{Document, as_count};
use crate::verdict::result::CheckResult;
use crate::verdict::{NotRunKind, Verdict};

use super::list_page::{ListPage, ListRead, line_at};
use super::page_faults::{fault_of, other_total};
use super::scenario_run::ScenarioRun;
use super::stop::Stop;
use super::{judge, send};

/// The reason why a failed check of a list proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListDoubt {
    /// Others changed the list while its pages were read.
    Moving,
    /// The pages do not make up a list. A check of pages reports that.
    Faulty,
}

/// The clause about pages. Its checks report the fault of a faulty list.
const PAGES_CLAUSE: &str = "2.7";

/// Follows `page` and returns the document `{pages, items}`. If the totals moved, or the pages do not make up a list,
/// the pages are read once more: others may have changed the list. After that, totals that moved again put all checks
/// in doubt, unless each page has the total that it had before: others do not change a list twice in the same way.
/// Faulty pages are reported, and put the other checks in doubt.
pub(super) async fn read_all(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
    each_page: &EachPage,
) -> Result<(Document, Option<ListDoubt>), Stop> {
    let mark = run.record.checks.len();
    let mut list = follow(run, shape, each_page).await?;
    let mut fault = fault_of(run, shape, &list);
    let is_shared = !run.shared.target.is_mock();
    if !list.is_steady || is_shared && fault.is_some() {
        run.drop_explicit_checks(mark);
        let earlier = totals(&list.pages);
        list = follow(run, shape, each_page).await?;
        fault = fault_of(run, shape, &list);
        if !list.is_steady && earlier == totals(&list.pages) {
            fault = other_total(run, shape, &list.pages);
            list.is_steady = true;
        }
    }
    let doubt = match fault {
        _ if !list.is_steady => {
            let checks = run.record.checks[mark..].iter_mut();
            checks.for_each(|check| apply_doubt(check, ListDoubt::Moving));
            Some(ListDoubt::Moving)
        }
        Some(fault) => {
            run.record.checks.push(fault);
            Some(ListDoubt::Faulty)
        }
        None => None,
    };
    let last = list.pages.last().map(|page| page.document.clone()).unwrap_or_default();
    list.pages.retain(ListPage::is_of_list);
    let bodies: Vec<&Value> = list.pages.iter().map(ListPage::body).collect();
    if !list.is_whole {
        return Err(Stop::NotApplicable(format!(
            "the list has more pages than are read ({}, the last among them; \
             `limits.pages_max` in the target file)",
            bodies.len()
        )));
    }
    let pagination = bodies.last().map_or(&Value::Null, |body| &body["pagination"]);
    run.names.set(
        "page",
        json!({
            "total_count": pagination["total_count"],
            "total_pages": pagination["total_pages"],
        }),
    );
    let items: Vec<&Value> = list.pages.iter().flat_map(ListPage::items).collect();
    let json = Some(json!({ "pages": bodies, "items": items }).into());
    let document = Document { json, body: Bytes::new(), endpoint: None, ..last };
    Ok((document, doubt))
}

/// Sets a failed check of a doubtful list to "not run".
pub(super) fn apply_doubt(check: &mut CheckResult, doubt: ListDoubt) {
    let is_of_pages = doubt == ListDoubt::Faulty && check.section == PAGES_CLAUSE;
    if check.is_implicit() || check.verdict != Verdict::Fail || is_of_pages {
        return;
    }
    let (kind, why) = match doubt {
        ListDoubt::Moving => {
            (NotRunKind::DataChanged, "the list changed while its pages were read, twice")
        }
        ListDoubt::Faulty => {
            (NotRunKind::UnusableAnswer, "the pages of the list do not make up a whole list")
        }
    };
    check.verdict = Verdict::NotRun;
    check.not_run = Some(kind);
    check.message = format!("{why}: {}", check.message);
}

fn totals(pages: &[ListPage]) -> Vec<Value> {
    pages.iter().map(|page| page.total().clone()).collect()
}

async fn follow(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
    each_page: &EachPage,
) -> Result<ListRead, Stop> {
    let pages_max = each_page.at_most.min(run.session.pages_max);
    // Nobody else writes to a sandbox, so totals that differ there are a fault of the target.
    let is_shared = !run.shared.target.is_mock();
    let mut pages: Vec<ListPage> = Vec::new();
    let (mut number, mut is_whole, mut is_steady) = (1, true, true);
    loop {
        let document = send::send(run, &with_page(shape, number)).await?;
        if number > 1 && is_refusal(&document) {
            return Ok(ListRead { pages, is_whole, is_steady, refused: Some((number, document)) });
        }
        let page = list_page(document, number)?;
        if page.cannot_be_counted() {
            let reason =
                "the list has no integer `/pagination/total_pages`, so its pages are not known";
            return Err(Stop::not_run(NotRunKind::UnusableAnswer, reason));
        }
        run.names.push();
        run.names.set("page", page_names(&page));
        let checks = judge::checks(run, &each_page.expect, &page.document);
        run.record.checks.extend(checks);
        run.names.pop();
        is_steady &= !is_shared || pages.first().is_none_or(|first| first.total() == page.total());
        let pages_total = page.pages_total();
        let is_last = number >= pages_total || page.items().is_empty();
        pages.push(page);
        if is_last || number >= pages_max {
            is_whole &= is_last;
            return Ok(ListRead { pages, is_whole, is_steady, refused: None });
        }
        number += 1;
        if number == pages_max && number < pages_total {
            // The last page is one of those that are read.
            (number, is_whole) = (pages_total, false);
        }
    }
}

/// Reads one page of a list.
pub(super) async fn page(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
    number: u64,
) -> Result<ListPage, Stop> {
    list_page(send::send(run, &with_page(shape, number)).await?, number)
}

/// Whether the target says that there is no such page (`page_past_end`), and not that it refuses the caller.
fn is_refusal(document: &Document) -> bool {
    document.status.is_some_and(|status| matches!(status, 400 | 404 | 410 | 416 | 422))
}

fn list_page(document: Document, number: u64) -> Result<ListPage, Stop> {
    match (&document.json, document.status) {
        (Some(body), Some(200)) if body["data"].is_array() => Ok(ListPage { number, document }),
        (_, status) => Err(no_list(number, status)),
    }
}

fn no_list(number: u64, status: Option<u16>) -> Stop {
    let status = status.map_or_else(|| "unknown".to_owned(), |status| status.to_string());
    let reason = format!("page {number} is not a list (status {status})");
    Stop::not_run(NotRunKind::UnusableAnswer, reason)
}

/// `number`, and `length_expected`: pages are full until the last, which has the rest. A rest that is larger than a page
/// shows that the totals are wrong, so the last page has the length that it has.
fn page_names(page: &ListPage) -> Value {
    let number = page.number;
    let total = as_count(page.total());
    let totals = (page.pagination("per_page"), page.pagination("total_pages"), total);
    let length = match totals {
        (Some(per_page), Some(pages), Some(total)) => Some(if number < pages {
            per_page
        } else if number == pages {
            let rest = total.saturating_sub(per_page.saturating_mul(pages.saturating_sub(1)));
            if rest <= per_page { rest } else { page.items().len() as u64 }
        } else {
            0
        }),
        _ => None,
    };
    json!({ "number": number, "length_expected": length })
}

fn with_page(shape: &RequestShape, number: u64) -> RequestShape {
    let mut shape = shape.clone();
    if number > 1
        && let Some(at) = line_at(&shape)
    {
        let number = Json::Text(Text::literal(number.to_string(), at.clone()));
        shape.query.push((Text::literal("page", at), number));
    }
    shape
}

/// The shape of a request that reads a list with a token that may read.
pub(super) fn reading(line: RequestLine) -> RequestShape {
    let token = Some(TokenChoice::Shared(Scopes::READ));
    RequestShape { line: Some(line), token, ..RequestShape::default() }
}

/// All pages of a list, up to the limit.
pub(super) async fn pages(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<Vec<ListPage>, Stop> {
    let each_page = EachPage { at_most: u64::MAX, expect: Vec::new() };
    let ListRead { mut pages, refused, .. } = follow(run, shape, &each_page).await?;
    if let Some((number, refused)) = refused {
        return Err(no_list(number, refused.status));
    }
    pages.retain(ListPage::is_of_list);
    Ok(pages)
}
