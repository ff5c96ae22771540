//! The schema of a workflow (§4.4). The answer `workflow_schema_endpoint` has its path.

use super::Context;
use crate::value::message::problem::Problem;
use crate::world::Outcome;
use crate::world::state::resource::workflow_schema;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let body = workflow_schema::body(context.answers(), context.workflow()?);
    Ok(Outcome::unchanged(context.responder.json(200, &body)))
}
