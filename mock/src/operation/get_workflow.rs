//! `GET /v1/workflows/{id}` (§4.3).

use super::Context;
use crate::value::message::json::DataJson;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let body = DataJson { data: context.workflow()?.json(context.answers()) };
    Ok(Outcome::unchanged(context.responder.json(200, &body)))
}
