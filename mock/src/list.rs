//! The answer of a list operation: `{pagination, data[]}` (§4), copied together from rendered rows.

use bytes::Bytes;
use roaring::RoaringBitmap;

use crate::index;
use crate::operation::Context;
use crate::page::{self, Page};
use crate::problem::Problem;
use crate::recent_pages::Asked;
use crate::rendered::Rendered;
use crate::response::{Listed, Response};

/// Bytes of the pagination object and what stands around it, with room for large numbers.
const ENVELOPE_BYTES: usize = 160;

/// The page that the call asks for: of these rows of the caller's company, in a table of this revision.
///
/// # Errors
/// Those of `rows`, and by the answers `page_invalid` and `page_past_end`.
pub(crate) fn respond<'r>(
    context: &Context<'_>,
    revision: u64,
    rows: impl FnOnce(u32) -> Result<Option<&'r RoaringBitmap>, Problem>,
    rendered: impl Fn(u32) -> Option<&'r Rendered>,
) -> Result<Response, Problem> {
    let company = context.principal()?.company;
    let (list, query) = (context.call.admitted.operation, context.call.head.query);
    let asked = Asked { list, company, query, revision };
    let recent = context.world.recent_pages();
    let (body, listed) = match recent.find(&asked) {
        Some(found) => found,
        None => {
            let (body, listed) = put_together(context, rows(company)?, rendered)?;
            recent.keep(&asked, &body, listed);
            (body, listed)
        }
    };
    let mut response = context.reply.json(200, body);
    response.listed = Some(listed);
    Ok(response)
}

fn put_together<'r>(
    context: &Context<'_>,
    rows: Option<&RoaringBitmap>,
    rendered: impl Fn(u32) -> Option<&'r Rendered>,
) -> Result<(Bytes, Listed), Problem> {
    let answers = context.answers();
    let asked = page::asked(answers, context.call.head.query)?;
    let page = Page::of(answers, asked, rows.map_or(0, RoaringBitmap::len))?;
    let rows = rows.map_or_else(Vec::new, |rows| {
        index::page(rows, answers.list_order, page.skipped(), page.size)
    });
    let mut members: Vec<&Rendered> = Vec::with_capacity(rows.len());
    members.extend(rows.into_iter().filter_map(rendered));
    let body = body(&page, &members, context.world.base_url());
    Ok((body.into(), Listed { page: page.current, pages: page.pages }))
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
