//! The answer of a list operation: `{pagination, data[]}` (§4).

use roaring::RoaringBitmap;
use serde::Serialize;

use crate::operation::context::Context;
use crate::value::message::page;
use crate::value::message::problem::Problem;
use crate::value::message::response::{Pagination, Response};
use crate::world::state::index;

/// JSON of a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListJson<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pagination: Option<Pagination>,
    pub(crate) data: Vec<T>,
}

/// The page that the call asks for: of these rows of the caller's company.
///
/// # Errors
/// Those of `rows`, and by the answers `page_invalid` and `page_past_end`.
pub(crate) fn respond<'r, T: Serialize>(
    context: &Context<'_>,
    rows: impl FnOnce(u32) -> Result<Option<&'r RoaringBitmap>, Problem>,
    member: impl Fn(u32) -> Option<T>,
) -> Result<Response, Problem> {
    let company = context.principal()?.company;
    let rows = rows(company)?;
    let answers = context.answers();
    let asked = page::asked(answers, context.call.head.query)?;
    let page = Pagination::of(answers, asked, rows.map_or(0, RoaringBitmap::len))?;
    let rows = rows.map_or_else(Vec::new, |rows| {
        index::page(rows, answers.list_order, page.skipped(), page.size)
    });
    let data = rows.into_iter().filter_map(member).collect();
    let mut response = context.reply.json(200, &ListJson { pagination: Some(page), data });
    response.page = Some(page);
    Ok(response)
}
