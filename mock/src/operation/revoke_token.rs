//! `POST /oauth/revoke` (RFC 7009), if the answer `token_revocation` has it.

use super::Context;
use crate::operation::oauth::{self, TokenForm};
use crate::value::message::problem::Problem;
use crate::world::Outcome;
use crate::world::state::change::Change;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let answers = context.answers();
    let form = TokenForm::of(context)?;
    let (index, _) = oauth::client(context, &form)?;
    let token =
        form.once("token")?.ok_or_else(|| oauth::invalid_request(answers, "token is required"))?;

    let response = context.responder.empty(200);
    // RFC 7009 §2.2: an invalid token is also answered with 200.
    let Some(grant) = context.world.sealer.open(token) else {
        return Ok(Outcome::unchanged(response));
    };
    if grant.application != index {
        let detail = "the token belongs to another application";
        let status = answers.token_failure_status.other;
        return Err(Problem::token_failure(status, "unauthorized_client", detail));
    }
    let revoked = Change::RevokeToken { serial: grant.serial };
    let changes = context.world.state().token_marks.add(revoked);
    Ok(Outcome { changes, ..Outcome::unchanged(response) })
}
