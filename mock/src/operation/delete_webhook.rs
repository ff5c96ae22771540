//! `DELETE /v1/webhooks/{id}` (§4.13): deletes the registration and discards its deliveries.

use super::Context;
use crate::value::message::problem::Problem;
use crate::world::state::change::Change;
use crate::world::{Outcome, deliver};

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let found = context.world.webhook(context.id());
    let (row, _) = context.visible(found, |(_, webhook)| webhook.company)?;
    let mut changes = vec![Change::DeleteWebhook { row }];
    changes.extend(deliver::discard(context.world, row));
    let response = context.responder.empty(context.answers().webhook_delete_status);
    Ok(Outcome { changes, ..Outcome::unchanged(response) })
}
