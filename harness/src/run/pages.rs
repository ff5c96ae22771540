//! Following a list to its end, and the document that stands for all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::exchange::Exchange;
use crate::scenario::model::{
    EachPage, Json, Location, RequestLine, RequestShape, Text, TextPiece,
};
use crate::verdict::check::{Document, Judgement, MismatchKind};

use super::scenario_walk::ScenarioWalk;
use super::send;
use super::stop::Stop;
use crate::verdict::result::CheckResult;
use crate::verdict::{NotRunKind, Verdict};

/// What a step read.
pub(super) struct StepResponse {
    pub(super) document: Document,
    pub(super) exchange: Arc<Exchange>,
    /// Why what fails on it may prove nothing.
    pub(super) doubt: Option<ListDoubt>,
}

/// Why a check that fails on a list that was walked proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListDoubt {
    /// Others changed the list while its pages were read.
    Moving,
    /// Its pages do not make up a list. A check of pages has said so.
    Faulty,
}

/// What is wrong with the pages of a list, under the row that says so.
struct PageFault {
    requirement: &'static str,
    mismatch: Judgement,
    exchange: Arc<Exchange>,
}

/// The clause of the rows about pages. What these say of a faulty list is the finding.
const PAGES_CLAUSE: &str = "2.7";

/// What one walk over a list found.
struct Walked {
    bodies: Vec<Value>,
    items: Vec<Value>,
    last: Document,
    exchange: Arc<Exchange>,
    /// Whether all pages were walked.
    is_whole: bool,
    /// Whether the totals stayed the same.
    is_steady: bool,
    fault: Option<PageFault>,
}

/// Follows `page`; the document is `{pages, items}`. A walk whose totals moved, or whose pages do not make up
/// a list, is repeated once: others may have changed the list. If the totals moved again, what fails on its
/// pages proves nothing. If the pages are faulty again, that is the finding, and not what follows from it.
pub(super) async fn walk(
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
    each_page: &EachPage,
) -> Result<StepResponse, Stop> {
    let mark = walk.record.checks.len();
    let mut walked = follow(walk, shape, each_page).await?;
    let is_shared = !walk.shared.target.is_mock();
    if !walked.is_steady || is_shared && walked.fault.is_some() {
        let of_pages = walk.record.checks.split_off(mark);
        walk.record.checks.extend(of_pages.into_iter().filter(|check| check.place.is_none()));
        walked = follow(walk, shape, each_page).await?;
    }
    if !walked.is_steady {
        walk.record.checks[mark..].iter_mut().for_each(|check| doubted(check, ListDoubt::Moving));
    }
    let doubt = match walked.fault {
        _ if !walked.is_steady => Some(ListDoubt::Moving),
        Some(fault) => {
            let (place, exchange) = (place_of(shape), Some(fault.exchange));
            let check = walk.origin().result(fault.requirement, place, fault.mismatch, exchange);
            walk.record.checks.push(check);
            Some(ListDoubt::Faulty)
        }
        None => None,
    };
    if !walked.is_whole {
        return Err(Stop::NotApplicable(format!(
            "the list has more pages than are walked ({}, the last among them; \
             `limits.pages_max` in the target file)",
            walked.bodies.len()
        )));
    }
    let pagination = walked.bodies.last().map_or(&Value::Null, |body| &body["pagination"]);
    walk.names.set(
        "page",
        json!({
            "total_count": pagination["total_count"],
            "total_pages": pagination["total_pages"],
        }),
    );
    let mut document = Document::of_value(json!({ "pages": walked.bodies, "items": walked.items }));
    document.status = walked.last.status;
    document.operation = walked.last.operation;
    document.request_line.clone_from(&walked.last.request_line);
    document.headers.clone_from(&walked.last.headers);
    Ok(StepResponse { document, exchange: walked.exchange, doubt })
}

/// A check that fails on a doubtful list: it could not be judged.
pub(super) fn doubted(check: &mut CheckResult, doubt: ListDoubt) {
    let is_of_pages = doubt == ListDoubt::Faulty && check.section == PAGES_CLAUSE;
    if check.place.is_none() || check.verdict != Verdict::Fail || is_of_pages {
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

fn place_of(shape: &RequestShape) -> Option<Location> {
    let (RequestLine::Path { path: text, .. } | RequestLine::Operation { operation: text, .. }) =
        shape.line.as_ref()?;
    Some(text.at.clone())
}

/// One page of a walk.
struct WalkedPage {
    number: u64,
    body: Value,
    exchange: Arc<Exchange>,
}

impl WalkedPage {
    fn member(&self, name: &str) -> Option<u64> {
        self.body["pagination"][name].as_u64()
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        let members = self.body["data"].as_array();
        members.into_iter().flatten().filter_map(|member| member["id"].as_str())
    }

    fn fault(&self, requirement: &'static str, mismatch: Judgement) -> Option<PageFault> {
        Some(PageFault { requirement, mismatch, exchange: Arc::clone(&self.exchange) })
    }
}

fn repeated(first: u64, number: u64) -> String {
    match first == number {
        true => format!("a member is on page {number} of the list twice"),
        false => format!("a member of page {first} of the list is on page {number} too"),
    }
}

/// The first fault of these pages: a page that is another than the one asked for, a page that is not full
/// though others follow, or a member that is there twice.
fn fault_of(pages: &[WalkedPage]) -> Option<PageFault> {
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    for page in pages {
        let number = page.number;
        if let Some(told) = page.member("current_page").filter(|told| *told != number) {
            let said = format!("page {number} of the list says that it is page {told}");
            let judgement =
                Judgement::fails(MismatchKind::Value, said, number.to_string(), told.to_string());
            let at = "/pagination/current_page".to_owned();
            return page.fault("pagination.current-page", judgement.at(at));
        }
        let length = page.body["data"].as_array().map_or(0, Vec::len) as u64;
        if let (Some(size), Some(last)) = (page.member("per_page"), page.member("total_pages"))
            && number < last
            && length < size
        {
            let judgement = Judgement::fails(
                MismatchKind::Length,
                format!("page {number} of {last} is not full"),
                format!("{size} members"),
                format!("{length} members"),
            );
            return page.fault("pagination.full-until-last", judgement.at("/data".to_owned()));
        }
        for id in page.ids() {
            if let Some(first) = known.insert(id, number) {
                let judgement = Judgement::fails(
                    MismatchKind::Duplicate,
                    repeated(first, number),
                    "each member on one page",
                    id.to_owned(),
                );
                return page.fault("pagination.no-item-twice", judgement.at("/data".to_owned()));
            }
        }
    }
    None
}

async fn follow(
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
    each_page: &EachPage,
) -> Result<Walked, Stop> {
    let pages_max = each_page.at_most.min(pages_max(walk));
    let (mut bodies, mut items, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    // Nobody else writes to a sandbox: totals that differ there are the target's own fault.
    let is_shared = !walk.shared.target.is_mock();
    let mut is_steady = true;
    let (mut number, mut is_whole) = (1, true);
    loop {
        let shape = with_page(shape, number);
        let (document, exchange) = send::sent(walk, &shape).await?;
        let body = page_body(&document, number)?;
        walk.names.push();
        walk.names.set("page", page_names(&body, number));
        let judged = walk.judge(&each_page.expect, &document, Some(&exchange));
        walk.record.checks.extend(judged);
        walk.names.pop();
        let total = |body: &Value| body["pagination"]["total_count"].clone();
        is_steady &= !is_shared || bodies.first().is_none_or(|first| total(first) == total(&body));
        let members = body["data"].as_array().cloned().unwrap_or_default();
        let is_empty = members.is_empty();
        items.extend(members);
        pages.push(WalkedPage { number, body: body.clone(), exchange: Arc::clone(&exchange) });
        let pages_total = body["pagination"]["total_pages"].as_u64().unwrap_or(1);
        // A page beyond the last is not a page of the list, though the totals announce it.
        if !is_empty || number == 1 {
            bodies.push(body);
        }
        let is_last = number >= pages_total || is_empty;
        if is_last || number >= pages_max {
            is_whole &= is_last;
            let (last, fault) = (document, fault_of(&pages));
            return Ok(Walked { bodies, items, last, exchange, is_whole, is_steady, fault });
        }
        number += 1;
        if number == pages_max && number < pages_total {
            // The last page is one of those that are walked.
            (number, is_whole) = (pages_total, false);
        }
    }
}

/// Pages walked where the target file says nothing.
pub(crate) const PAGES_MAX: u64 = 40;

fn pages_max(walk: &ScenarioWalk<'_>) -> u64 {
    walk.shared.target.index.pages_max.unwrap_or(PAGES_MAX)
}

fn page_body(document: &Document, number: u64) -> Result<Value, Stop> {
    match (&document.json, document.status) {
        (Some(body), Some(200)) if body["data"].is_array() => Ok(body.as_ref().clone()),
        (_, status) => Err(Stop::not_run(
            NotRunKind::UnusableAnswer,
            format!(
                "page {number} is not a list (status {})",
                status.map_or_else(|| "unknown".to_owned(), |status| status.to_string())
            ),
        )),
    }
}

/// `number` and `length_expected`: full until the last, the rest on it, none after it.
fn page_names(body: &Value, number: u64) -> Value {
    let member = |name: &str| body["pagination"][name].as_u64();
    let length = match (member("per_page"), member("total_pages"), member("total_count")) {
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

fn with_page(shape: &RequestShape, number: u64) -> RequestShape {
    let mut shape = shape.clone();
    if number > 1 {
        let at = match &shape.line {
            Some(
                RequestLine::Path { path: text, .. }
                | RequestLine::Operation { operation: text, .. },
            ) => text.at.clone(),
            None => return shape,
        };
        let literal =
            |text: String| Text { pieces: vec![TextPiece::Literal(text)], at: at.clone() };
        shape.query.push((literal("page".to_owned()), Json::Text(literal(number.to_string()))));
    }
    shape
}

/// Members of a list, or of a page of it.
pub(super) struct ListMembers {
    pub(super) items: Vec<Value>,
    /// `total_count` of the list.
    pub(super) total: Option<u64>,
}

impl ListMembers {
    fn new(items: Vec<Value>, body: Option<&Value>) -> Self {
        Self { items, total: body.and_then(|body| body["pagination"]["total_count"].as_u64()) }
    }
}

/// Members of a list by its pages, as far as they are walked; an error where it is not a list.
pub(super) async fn members(
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
) -> Result<ListMembers, Stop> {
    let each_page = EachPage { at_most: u64::MAX, expect: Vec::new() };
    let walked = follow(walk, shape, &each_page).await?;
    Ok(ListMembers::new(walked.items, walked.bodies.last()))
}

/// Members of one page, and the number of pages, as far as they are walked; an error where it is not a list.
pub(super) async fn page(
    walk: &mut ScenarioWalk<'_>,
    shape: &RequestShape,
    number: u64,
) -> Result<(ListMembers, u64), Stop> {
    let shape = with_page(shape, number);
    let (document, _) = send::sent(walk, &shape).await?;
    let body = page_body(&document, number)?;
    let pages = body["pagination"]["total_pages"].as_u64().unwrap_or(1);
    let items = body["data"].as_array().cloned().unwrap_or_default();
    Ok((ListMembers::new(items, Some(&body)), pages))
}
