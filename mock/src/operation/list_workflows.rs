//! `GET /v1/workflows` (§4.2).

use moot_fixtures::contract::WorkflowStatus;

use super::Context;
use crate::operation::list;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let seed_data = context.world.seed_data();
    let statuses = WorkflowStatus::ALL.map(|status| (status.as_str(), status as usize));
    let index = &seed_data.workflow_index;
    let rows = |company| list::rows_in_status(context, index, company, &statuses);
    let member = |row| Some(seed_data.workflow(row)?.json(context.answers()));
    Ok(Outcome::unchanged(list::respond(context, rows, member)?))
}
