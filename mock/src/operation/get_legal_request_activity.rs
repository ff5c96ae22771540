//! `GET /v1/requests/{id}/activity` (§4.8).

use moot_fixtures::contract::ListOrder;

use super::Context;
use crate::message::page::{self, Page};
use crate::message::problem::Problem;
use crate::message::rendered::json_bytes;
use crate::resource::activity::Activity;
use crate::world::Outcome;

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
    let mut body = b"{".to_vec();
    if answers.activity_paginated {
        let asked = page::asked(answers, context.call.head.query)?;
        let page = Page::of(answers, asked, entries.len() as u64)?;
        let skipped = usize::try_from(page.skipped()).unwrap_or(usize::MAX);
        entries = entries.into_iter().skip(skipped).take(page.size as usize).collect();
        page.append(&mut body);
        body.push(b',');
    }
    let views: Vec<_> = entries.into_iter().map(|entry| entry.view(answers)).collect();
    body.extend_from_slice(br#""data":"#);
    body.extend_from_slice(&json_bytes(&views));
    body.push(b'}');
    Ok(Outcome::unchanged(context.reply.json(200, body)))
}
