//! `GET /v1/repository_documents/{id}` (§4.11).

use super::Context;
use crate::value::message::json::DataJson;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let found = context.world.document(context.id());
    let document = context.visible(found, |document| document.company)?;
    let data = document.json(context.answers().timestamps, context.world.base_url());
    Ok(Outcome::unchanged(context.responder.json(200, &DataJson { data })))
}
