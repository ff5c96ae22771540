//! The list operations: the query parameters `page` and `status`, and the response
//! `{pagination, data[]}` (§2.7, §4).

use std::borrow::Cow;

use moot_fixtures::contract::{Answers, InvalidPage, PAGE_MIN, PagePastEnd, UnknownFilter};
use roaring::RoaringBitmap;
use serde::Serialize;

use crate::operation::context::Context;
use crate::value::message::problem::Problem;
use crate::value::message::response::{Pagination, Response};
use crate::world::state::index::{self, Index};

/// JSON of a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListJson<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pagination: Option<Pagination>,
    pub(crate) data: Vec<T>,
}

/// The requested page of these rows of the caller's company.
///
/// # Errors
/// As `rows` and [`page`].
pub(crate) fn respond<'r, T: Serialize>(
    context: &Context<'_>,
    rows: impl FnOnce(u32) -> Result<Option<&'r RoaringBitmap>, Problem>,
    member: impl Fn(u32) -> Option<T>,
) -> Result<Response, Problem> {
    let company = context.principal()?.company;
    let rows = rows(company)?;
    let page = page(context, rows.map_or(0, RoaringBitmap::len))?;
    let rows = rows.map_or_else(Vec::new, |rows| {
        index::page(rows, context.answers().list_order, page.skipped(), page.size)
    });
    let data = rows.into_iter().filter_map(member).collect();
    let mut response = context.responder.json(200, &ListJson { pagination: Some(page), data });
    response.page = Some(page);
    Ok(response)
}

/// The rows of a company in the status of the query; all rows without `status`. `statuses` has each
/// status with its place in the index.
///
/// # Errors
/// By the answer `status_filter_unknown`.
pub(crate) fn rows_in_status<'i>(
    context: &Context<'_>,
    index: &'i Index,
    company: u32,
    statuses: &[(&str, usize)],
) -> Result<Option<&'i RoaringBitmap>, Problem> {
    let sent = parameters(context, "status");
    let place = match sent.as_slice() {
        [] => return Ok(index.rows(company, None)),
        [text] => statuses.iter().find(|(status, _)| status == text).map(|(_, place)| *place),
        _ => None,
    };
    if place.is_some() {
        return Ok(index.rows(company, place));
    }
    match context.answers().status_filter_unknown {
        UnknownFilter::Ignored => Ok(index.rows(company, None)),
        UnknownFilter::Empty => Ok(None),
        UnknownFilter::Refused => {
            let known: Vec<&str> = statuses.iter().map(|(status, _)| *status).collect();
            Err(Problem::parameter_missing(format!(
                "`status` must be given once, as one of {}.",
                known.join(", ")
            )))
        }
    }
}

/// The requested page of a list of `members`.
///
/// # Errors
/// By the answers `page_invalid` and `page_past_end`.
pub(crate) fn page(context: &Context<'_>, members: u64) -> Result<Pagination, Problem> {
    let answers = context.answers();
    let current = page_number(context)?;
    let size = answers.per_page.max(1);
    let pages = match members.div_ceil(u64::from(size)) {
        0 => u64::from(answers.empty_total_pages),
        pages => pages,
    };
    if current > pages.max(PAGE_MIN) {
        past_end(answers, current, pages.max(PAGE_MIN))?;
    }
    Ok(Pagination { current, size, pages, members })
}

fn past_end(answers: &Answers, current: u64, last: u64) -> Result<(), Problem> {
    match answers.page_past_end {
        PagePastEnd::Empty => Ok(()),
        PagePastEnd::NotFound => {
            Err(Problem::not_found(answers, "page of this list", &current.to_string()))
        }
        PagePastEnd::BadRequest => Err(Problem::parameter_missing(format!(
            "`page` must be at most {last}, the last page of this list."
        ))),
    }
}

/// The number of the requested page, at least 1; `u64::MAX` for a larger one.
fn page_number(context: &Context<'_>) -> Result<u64, Problem> {
    let number = match parameters(context, "page").as_slice() {
        [] => return Ok(PAGE_MIN),
        [text] => number(text),
        _ => None,
    };
    match (number, context.answers().page_invalid) {
        (Some(number), _) => Ok(number),
        (None, InvalidPage::FirstPage) => Ok(PAGE_MIN),
        (None, InvalidPage::Refused) => Err(Problem::parameter_missing(
            "`page` must be given once, as a whole number from 1 on.",
        )),
    }
}

fn number(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_digits.then(|| text.parse().unwrap_or(u64::MAX))?;
    (number >= PAGE_MIN).then_some(number)
}

/// The values of this parameter in the query.
fn parameters<'a>(context: &Context<'a>, name: &str) -> Vec<Cow<'a, str>> {
    let query = context.call.head.query.unwrap_or_default();
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs.filter(|(key, _)| key == name).map(|(_, value)| value).collect()
}
