//! `GET /v1/workflows` (§4.2).

use moot_fixtures::contract::WorkflowStatus;

use super::Context;
use crate::list;
use crate::page::{self, Filter};
use crate::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let company = context.principal()?.company;
    let query = context.call.head.query;
    let filter = page::filter(context.answers(), query, WorkflowStatus::from_text, known)?;
    let seeded = context.world.seeded();
    let rows = match filter {
        Filter::All => seeded.workflow_index().rows(company, None),
        Filter::Status(status) => seeded.workflow_index().rows(company, Some(status as usize)),
        Filter::Nothing => None,
    };
    let rendered = |row| Some(&seeded.workflow(row)?.rendered);
    Ok(Outcome::unchanged(list::respond(context, rows, rendered)?))
}

fn known() -> String {
    WorkflowStatus::ALL.map(WorkflowStatus::as_str).join(", ")
}
