//! `GET /v1/repository_documents` (§4.10).

use super::Context;
use crate::operation::list;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    context.world.read_list(context.now, |state| {
        let rows = |company| Ok(state.documents.index.rows(company, None));
        let (form, base_url) = (context.answers().timestamps, context.world.base_url());
        let member = |row| Some(state.documents.get(row)?.json(form, base_url));
        Ok(Outcome::unchanged(list::respond(context, rows, member)?))
    })
}
