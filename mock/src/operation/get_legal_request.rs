//! `GET /v1/requests/{id}` (§4.7). With progression `on-read` this is the read that counts.

use super::Context;
use crate::value::message::json::DataJson;
use crate::value::message::problem::Problem;
use crate::world::state::change::Change;
use crate::world::{Outcome, progression};

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let id = context.id();
    let record = context.visible(
        context.world.legal_request(id),
        |record| record.company,
        "request",
        || Problem::request_not_found(id),
    )?;
    let (changes, effects) =
        progression::read(context.world, context.now, record).unwrap_or_default();
    // The read that moves a request shows where it moved to.
    let shown = changes.iter().find_map(|change| match change {
        Change::PutLegalRequest { row, record: moved } if *row == record.row => Some(moved),
        _ => None,
    });
    let response = context.reply.json(200, &DataJson { data: shown.unwrap_or(record).json() });
    Ok(Outcome { response, changes, effects })
}
