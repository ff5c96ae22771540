//! The schema of a workflow (§4.4; path by answer `workflow_schema_endpoint`).

use super::Context;
use crate::value::message::problem::Problem;
use crate::world::Outcome;
use crate::world::state::resource::workflow_schema;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let (_, workflow) = context.visible(
        context.world.seeded().workflow_of(context.id()),
        |(_, workflow)| workflow.company,
        "workflow",
        || Problem::not_found(context.answers(), "workflow", context.id()),
    )?;
    Ok(Outcome::unchanged(
        context.reply.json(200, &workflow_schema::body(context.answers(), workflow)),
    ))
}
