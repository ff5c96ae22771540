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
    Some(fault(run, shape, page, requirement, judgement.at("/pagination/total_count")))
}

fn fault(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
    page: &ListPage,
    requirement: &'static str,
    judgement: Judgement,
) -> CheckResult {
    let exchange = page.document.exchange.clone();
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
    let mut known = BTreeMap::new();
    pages.iter().find_map(|page| {
        let (requirement, judgement) = wrong_number(page)
            .or_else(|| short_page(page, pages))
            .or_else(|| repeated_item(page, &mut known))?;
        Some(fault(run, shape, page, requirement, judgement))
    })
}

/// A page that says that it is another one.
fn wrong_number(page: &ListPage) -> Option<(&'static str, Judgement)> {
    let number = page.number;
    let said = page.pagination("current_page").filter(|said| *said != number)?;
    let message = format!("page {number} of the list says that it is page {said}");
    let judgement =
        Judgement::fails(MismatchKind::Value, message, number.to_string(), said.to_string());
    Some(("pagination.current-page", judgement.at("/pagination/current_page")))
}

/// A page before the last that is not full. If no page after it has items, a total is too large.
fn short_page(page: &ListPage, pages: &[ListPage]) -> Option<(&'static str, Judgement)> {
    let (number, length) = (page.number, page.items().len() as u64);
    let (size, last) = (page.pagination("per_page")?, page.pagination("total_pages")?);
    if number >= last || length >= size {
        return None;
    }
    let is_end = |other: &ListPage| other.number <= number || other.items().is_empty();
    if !pages.iter().all(is_end) {
        let message = format!("page {number} of {last} is not full");
        let (expected, actual) = (format!("{size} members"), format!("{length} members"));
        let judgement = Judgement::fails(MismatchKind::Length, message, expected, actual);
        return Some(("pagination.full-until-last", judgement.at("/data")));
    }
    let members = pages.iter().map(|page| page.items().len()).sum::<usize>();
    let total = page.total();
    if total == members {
        let message = format!("`total_pages` is {last}, and the members end on page {number}");
        let judgement =
            Judgement::fails(MismatchKind::Value, message, number.to_string(), last.to_string());
        return Some(("pagination.total-pages-agrees", judgement.at("/pagination/total_pages")));
    }
    let message =
        format!("all pages of the list have {members} members, and `total_count` is {total}");
    let judgement =
        Judgement::fails(MismatchKind::Value, message, members.to_string(), total.to_string());
    Some(("pagination.total-count-agrees", judgement.at("/pagination/total_count")))
}

/// An item that is there twice. `known` has the pages of all earlier items by id.
fn repeated_item<'p>(
    page: &'p ListPage,
    known: &mut BTreeMap<&'p str, u64>,
) -> Option<(&'static str, Judgement)> {
    let number = page.number;
    let mut ids = page.items().iter().filter_map(|item| item["id"].as_str());
    let (id, first) = ids.find_map(|id| Some((id, known.insert(id, number)?)))?;
    let message = match first == number {
        true => format!("a member is on page {number} of the list twice"),
        false => format!("a member of page {first} of the list is on page {number} too"),
    };
    let judgement =
        Judgement::fails(MismatchKind::Duplicate, message, "each member on one page", id);
    Some(("pagination.no-item-twice", judgement.at("/data")))
}
