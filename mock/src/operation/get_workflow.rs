//! `GET /v1/workflows/{id}` (§4.3).

use super::Context;
use crate::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let (_, workflow) = context.visible(
        context.world.seeded().workflow_of(context.id()),
        |(_, workflow)| workflow.company,
        "workflow",
        || Problem::not_found(context.answers(), "workflow", context.id()),
    )?;
    let body = workflow.rendered.single(context.world.base_url());
    Ok(Outcome::unchanged(context.reply.json(200, body)))
}
