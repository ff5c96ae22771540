//! Reads all pages of a list, and makes one document of them.

use std::collections::BTreeMap;

use bytes::Bytes;
use moot_fixtures::contract::{Operation, Scopes};
use serde_json::{Value, json};

use crate::scenario::model::{
    EachPage, Json, Location, RequestLine, RequestShape, Text, TextPiece, TokenChoice,
};
use crate::verdict::check::{Document, Judgement, MismatchKind, as_count};
use crate::verdict::result::CheckResult;
use crate::verdict::{NotRunKind, Verdict};

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
        run.record.drop_explicit(mark);
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

/// One page of a list.
pub(super) struct ListPage {
    number: u64,
    document: Document,
}

impl ListPage {
    fn body(&self) -> &Value {
        self.document.json.as_deref().unwrap_or(&Value::Null)
    }

    pub(super) fn items(&self) -> &[Value] {
        self.body()["data"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the page is one of the list. An empty page after the last is not, even if the totals announce it.
    fn is_of_list(&self) -> bool {
        self.number == 1 || !self.items().is_empty()
    }

    /// `total_count` of the list.
    pub(super) fn total(&self) -> &Value {
        &self.body()["pagination"]["total_count"]
    }

    /// Whether the number of pages is missing. An activity log may have none.
    fn cannot_be_counted(&self) -> bool {
        let is_list = self.document.operation.is_some_and(Operation::is_list);
        is_list && self.pagination("total_pages").is_none()
    }

    /// The number of pages of the list.
    pub(super) fn pages_total(&self) -> u64 {
        self.pagination("total_pages").unwrap_or(1)
    }

    fn pagination(&self, member: &str) -> Option<u64> {
        as_count(&self.body()["pagination"][member])
    }
}

fn totals(pages: &[ListPage]) -> Vec<Value> {
    pages.iter().map(|page| page.total().clone()).collect()
}

/// The first page with another total than the first page.
fn other_total(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    pages: &[ListPage],
) -> Option<CheckResult> {
    let first = pages.first()?.total();
    let page = pages.iter().find(|page| page.total() != first)?;
    let message = format!("the total on page {} is another one than on page 1, twice", page.number);
    let (first, other) = (first.to_string(), page.total().to_string());
    let judgement = Judgement::fails(MismatchKind::Value, message, first, other);
    let requirement = "pagination.totals-same-on-each-page";
    Some(fault(run, shape, page, requirement, judgement, "/pagination/total_count"))
}

fn fault(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    page: &ListPage,
    requirement: &'static str,
    judgement: Judgement,
    at: &str,
) -> CheckResult {
    let (judgement, exchange) = (judgement.at(at.to_owned()), page.document.exchange.clone());
    judge::origin(run).result(requirement, line_at(shape), judgement, exchange)
}

/// The first fault of a list: that of its pages, or a page that the totals announce is refused.
fn fault_of(run: &ScenarioRun<'_>, shape: &RequestShape, list: &ListRead) -> Option<CheckResult> {
    fault_of_pages(run, shape, &list.pages).or_else(|| {
        let ((number, refused), last) = (list.refused.as_ref()?, list.pages.last()?);
        let announced = last.pages_total();
        let judgement = Judgement::fails(
            MismatchKind::Value,
            format!("page {number} of {announced} is refused"),
            format!("{announced} pages"),
            format!("{} pages", last.number),
        );
        let exchange = refused.exchange.clone();
        let requirement = "pagination.total-pages-agrees";
        Some(judge::origin(run).result(requirement, line_at(shape), judgement, exchange))
    })
}

/// The first fault of these pages: the number of a page is wrong, the total is too large, a page before the last is not
/// full, or an item is there twice.
fn fault_of_pages(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    pages: &[ListPage],
) -> Option<CheckResult> {
    let fault = |page: &ListPage, requirement, judgement: Judgement, at: &str| {
        Some(fault(run, shape, page, requirement, judgement, at))
    };
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    for page in pages {
        let number = page.number;
        if let Some(said) = page.pagination("current_page").filter(|said| *said != number) {
            let judgement = Judgement::fails(
                MismatchKind::Value,
                format!("page {number} of the list says that it is page {said}"),
                number.to_string(),
                said.to_string(),
            );
            return fault(page, "pagination.current-page", judgement, "/pagination/current_page");
        }
        let length = page.items().len() as u64;
        if let (Some(size), Some(last)) =
            (page.pagination("per_page"), page.pagination("total_pages"))
            && number < last
            && length < size
        {
            let is_end = |other: &ListPage| other.number <= number || other.items().is_empty();
            if pages.iter().all(is_end) {
                let members = pages.iter().map(|page| page.items().len()).sum::<usize>();
                let total = page.total();
                let judgement = Judgement::fails(
                    MismatchKind::Value,
                    format!(
                        "all pages of the list have {members} members, and `total_count` is {total}"
                    ),
                    members.to_string(),
                    total.to_string(),
                );
                let at = "/pagination/total_count";
                return fault(page, "pagination.total-count-agrees", judgement, at);
            }
            let judgement = Judgement::fails(
                MismatchKind::Length,
                format!("page {number} of {last} is not full"),
                format!("{size} members"),
                format!("{length} members"),
            );
            return fault(page, "pagination.full-until-last", judgement, "/data");
        }
        for id in page.items().iter().filter_map(|item| item["id"].as_str()) {
            if let Some(first) = known.insert(id, number) {
                let message = match first == number {
                    true => format!("a member is on page {number} of the list twice"),
                    false => {
                        format!("a member of page {first} of the list is on page {number} too")
                    }
                };
                let judgement = Judgement::fails(
                    MismatchKind::Duplicate,
                    message,
                    "each member on one page",
                    id.to_owned(),
                );
                return fault(page, "pagination.no-item-twice", judgement, "/data");
            }
        }
    }
    None
}

/// The pages of a list that were read.
struct ListRead {
    pages: Vec<ListPage>,
    /// Whether all pages were read.
    is_whole: bool,
    /// Whether `total_count` stayed the same.
    is_steady: bool,
    /// A page that the totals announce and the target refused, with its number. The list ends before it.
    refused: Option<(u64, Document)>,
}

async fn follow(
    run: &mut ScenarioRun<'_>,
    shape: &RequestShape,
    each_page: &EachPage,
) -> Result<ListRead, Stop> {
    let pages_max = each_page.at_most.min(run.shared.target.index.pages_max.unwrap_or(PAGES_MAX));
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

/// Pages that are read unless the target file has `limits.pages_max`.
pub(crate) const PAGES_MAX: u64 = 40;

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

/// `number`, and `length_expected`: pages are full until the last, which has the rest.
fn page_names(page: &ListPage) -> Value {
    let number = page.number;
    let total = as_count(page.total());
    let totals = (page.pagination("per_page"), page.pagination("total_pages"), total);
    let length = match totals {
        (Some(per_page), Some(pages), Some(total)) => Some(if number < pages {
            per_page
        } else if number == pages {
            total.saturating_sub(per_page.saturating_mul(pages.saturating_sub(1)))
        } else {
            0
        }),
        _ => None,
    };
    json!({ "number": number, "length_expected": length })
}

/// The place of the request line in its file.
fn line_at(shape: &RequestShape) -> Option<Location> {
    let (RequestLine::Path { path: text, .. } | RequestLine::Operation { operation: text, .. }) =
        shape.line.as_ref()?;
    Some(text.at.clone())
}

fn with_page(shape: &RequestShape, number: u64) -> RequestShape {
    let mut shape = shape.clone();
    if number > 1
        && let Some(at) = line_at(&shape)
    {
        let literal =
            |text: String| Text { pieces: vec![TextPiece::Literal(text)], at: at.clone() };
        shape.query.push((literal("page".to_owned()), Json::Text(literal(number.to_string()))));
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
