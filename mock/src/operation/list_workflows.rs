//! `GET /v1/workflows` (§4.2).

use moot_fixtures::contract::WorkflowStatus;

use super::Context;
use crate::operation::list;
use crate::value::message::page::{self, StatusParameter};
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let query = context.call.head.query;
    let seeded = context.world.seeded();
    let index = seeded.workflow_index();
    let rows = |company| {
        let filter = page::filter(context.answers(), query, WorkflowStatus::from_text, known)?;
        Ok(match filter {
            StatusParameter::All => index.rows(company, None),
            StatusParameter::Status(status) => index.rows(company, Some(status as usize)),
            StatusParameter::Nothing => None,
        })
    };
    let member = |row| Some(seeded.workflow(row)?.json(context.answers()));
    Ok(Outcome::unchanged(list::respond(context, rows, member)?))
}

fn known() -> String {
    WorkflowStatus::ALL.map(WorkflowStatus::as_str).join(", ")
}
