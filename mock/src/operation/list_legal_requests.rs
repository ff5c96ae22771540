//! `GET /v1/requests` (§4.6).

use moot_fixtures::contract::LegalRequestStatus;

use super::Context;
use crate::operation::list;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    context.world.read_list(context.now, |state| {
        let statuses = LegalRequestStatus::ALL.map(|status| (status.as_str(), status as usize));
        let index = &state.legal_requests.index;
        let rows = |company| list::rows_in_status(context, index, company, &statuses);
        let member = |row| Some(state.legal_requests.get(row)?.json());
        Ok(Outcome::unchanged(list::respond(context, rows, member)?))
    })
}
