//! `GET /v1/requests/{id}/activity` (§4.8).

use moot_fixtures::contract::ListOrder;

use super::Context;
use crate::operation::list::{self, ListJson};
use crate::value::message::problem::Problem;
use crate::world::Outcome;
use crate::world::state::resource::activity::Activity;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let record = context.legal_request()?;
    let answers = context.answers();
    let mut entries: Vec<&Activity> = record.activity.iter().collect();
    match answers.list_order {
        ListOrder::NewestFirst => entries.reverse(),
        ListOrder::OldestFirst => {}
    }
    let mut pagination = None;
    if answers.activity_paginated {
        let page = list::page(context, entries.len() as u64)?;
        let skipped = usize::try_from(page.skipped()).unwrap_or(usize::MAX);
        entries = entries.into_iter().skip(skipped).take(page.size as usize).collect();
        pagination = Some(page);
    }
    let data: Vec<_> = entries.into_iter().map(|entry| entry.json(answers)).collect();
    Ok(Outcome::unchanged(context.responder.json(200, &ListJson { pagination, data })))
}
