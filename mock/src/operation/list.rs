//! The answer of a list operation: `{pagination, data[]}` (§4), copied together from rendered rows.

use roaring::RoaringBitmap;

use crate::message::page::{self, Page};
use crate::message::problem::Problem;
use crate::message::rendered::Rendered;
use crate::message::response::{Listed, Response};
use crate::operation::Context;
use crate::state::index;

/// Bytes of the pagination object and what stands around it, with room for large numbers.
const ENVELOPE_BYTES: usize = 160;

/// The page that the call asks for: of these rows of the caller's company.
///
/// # Errors
/// Those of `rows`, and by the answers `page_invalid` and `page_past_end`.
pub(crate) fn respond<'r>(
    context: &Context<'_>,
    rows: impl FnOnce(u32) -> Result<Option<&'r RoaringBitmap>, Problem>,
    rendered: impl Fn(u32) -> Option<&'r Rendered>,
) -> Result<Response, Problem> {
    let company = context.principal()?.company;
    let rows = rows(company)?;
    let answers = context.answers();
    let asked = page::asked(answers, context.call.head.query)?;
    let page = Page::of(answers, asked, rows.map_or(0, RoaringBitmap::len))?;
    let rows = rows.map_or_else(Vec::new, |rows| {
        index::page(rows, answers.list_order, page.skipped(), page.size)
    });
    let members: Vec<&Rendered> = rows.into_iter().filter_map(rendered).collect();
    let mut response = context.reply.json(200, body(&page, &members, context.world.base_url()));
    response.listed = Some(Listed { page: page.current, pages: page.pages });
    Ok(response)
}

fn body(page: &Page, members: &[&Rendered], base_url: &str) -> Vec<u8> {
    let lengths = members.iter().map(|member| member.member_length_max(base_url) + 1);
    let mut body = Vec::with_capacity(ENVELOPE_BYTES + lengths.sum::<usize>());
    body.push(b'{');
    page.append(&mut body);
    body.extend_from_slice(br#","data":["#);
    for (place, member) in members.iter().enumerate() {
        if place > 0 {
            body.push(b',');
        }
        member.append_member(base_url, &mut body);
    }
    body.extend_from_slice(b"]}");
    body
}
