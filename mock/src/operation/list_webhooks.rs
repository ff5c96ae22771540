//! `GET /v1/webhooks` (§4.12).

use super::Context;
use crate::operation::list;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    context.world.read_list(context.now, |state| {
        let rows = |company| Ok(state.webhooks.index.rows(company, None));
        let member = |row| Some(state.webhooks.get(row)?.json());
        Ok(Outcome::unchanged(list::respond(context, rows, member)?))
    })
}
