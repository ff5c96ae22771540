//! `GET /v1/requests/{id}` (§4.7). With the progression `on-read`, these reads are counted.

use super::Context;
use crate::value::message::json::DataJson;
use crate::value::message::problem::Problem;
use crate::world::state::change::Change;
use crate::world::{Outcome, progression};

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let record = context.legal_request()?;
    let changes = progression::read(context.world, context.now, record);
    // A read that changes the status shows the new status.
    let shown = changes.iter().find_map(|change| match change {
        Change::PutLegalRequest { row, record: moved } if *row == record.row => Some(moved),
        _ => None,
    });
    let response = context.responder.json(200, &DataJson { data: shown.unwrap_or(record).json() });
    Ok(Outcome { response, changes })
}
