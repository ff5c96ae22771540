//! Faults of a list that its pages show: a wrong total, a page that is not full, an item twice.

use std::collections::BTreeMap;

use crate::scenario::model::RequestShape;
use crate::verdict::check::{Judgement, MismatchKind};
use crate::verdict::result::CheckResult;

use super::judge;
use super::list_page::{ListPage, ListRead, line_at};
use super::scenario_run::ScenarioRun;

/// The first page with another total than the first page.
pub(super) fn other_total(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    pages: &[ListPage],
) -> Option<CheckResult> {
    let first = pages.first()?.total();
    let page = pages.iter().find(|page| page.total() != first)?;
    let is_filtered = shape.query.iter().any(|(key, _)| key.as_literal() != Some("page"));
    let why = if is_filtered { "; the filter may be ignored there" } else { "" };
    let message =
        format!("the total on page {} is another one than on page 1, twice{why}", page.number);
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
pub(super) fn fault_of(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    list: &ListRead,
) -> Option<CheckResult> {
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
                let (requirement, at, message, expected, actual) = if total == members {
                    (
                        "pagination.total-pages-agrees",
                        "/pagination/total_pages",
                        format!("`total_pages` is {last}, and the members end on page {number}"),
                        number.to_string(),
                        last.to_string(),
                    )
                } else {
                    (
                        "pagination.total-count-agrees",
                        "/pagination/total_count",
                        format!(
                            "all pages of the list have {members} members, and `total_count` is {total}"
                        ),
                        members.to_string(),
                        total.to_string(),
                    )
                };
                let kind = MismatchKind::Value;
                let judgement = Judgement::fails(kind, message, expected, actual);
                return fault(page, requirement, judgement, at);
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
