//! `GET /v1/requests` (§4.6).

use moot_fixtures::contract::LegalRequestStatus;

use super::Context;
use crate::operation::list;
use crate::value::message::page::{self, StatusParameter};
use crate::value::message::problem::Problem;
use crate::world::Outcome;
use crate::world::state::index::status_place;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let query = context.call.head.query;
    let state = context.world.listed(context.now);
    let index = &state.legal_request_index;
    let rows = |company| {
        let filter = page::filter(context.answers(), query, LegalRequestStatus::from_text, known)?;
        Ok(match filter {
            StatusParameter::All => index.rows(company, None),
            StatusParameter::Status(status) => index.rows(company, Some(status_place(status))),
            StatusParameter::Nothing => None,
        })
    };
    let member = |row| Some(state.legal_requests.get(row)?.json());
    Ok(Outcome::unchanged(list::respond(context, rows, member)?))
}

fn known() -> String {
    LegalRequestStatus::ALL.map(LegalRequestStatus::as_str).join(", ")
}
