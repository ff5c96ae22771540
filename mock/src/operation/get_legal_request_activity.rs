//! `GET /v1/requests/{id}/activity` (§4.8).

use moot_fixtures::contract::ListOrder;

use super::Context;
use crate::operation::list::ListJson;
use crate::value::message::page;
use crate::value::message::problem::Problem;
use crate::value::message::response::Pagination;
use crate::world::Outcome;
use crate::world::state::resource::activity::Activity;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let id = context.id();
    let record = context.visible(
        context.world.legal_request(id),
        |record| record.company,
        "request",
        || Problem::request_not_found(id),
    )?;
    let answers = context.answers();
    let mut entries: Vec<&Activity> = record.activity.iter().collect();
    match answers.list_order {
        ListOrder::NewestFirst => entries.reverse(),
        ListOrder::OldestFirst => {}
    }
    let mut pagination = None;
    if answers.activity_paginated {
        let asked = page::asked(answers, context.call.head.query)?;
        let page = Pagination::of(answers, asked, entries.len() as u64)?;
        let skipped = usize::try_from(page.skipped()).unwrap_or(usize::MAX);
        entries = entries.into_iter().skip(skipped).take(page.size as usize).collect();
        pagination = Some(page);
    }
    let data: Vec<_> = entries.into_iter().map(|entry| entry.json(answers)).collect();
    Ok(Outcome::unchanged(context.reply.json(200, &ListJson { pagination, data })))
}
