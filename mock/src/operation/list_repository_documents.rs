//! `GET /v1/repository_documents` (§4.10).

use super::Context;
use crate::message::problem::Problem;
use crate::operation::list;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let state = context.world.state();
    let rows = |company| Ok(state.document_index.rows(company, None));
    let rendered = |row| Some(&state.documents.get(row)?.rendered);
    Ok(Outcome::unchanged(list::respond(context, rows, rendered)?))
}
