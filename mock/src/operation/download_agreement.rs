//! What `agreement_url` leads to (§2.2): the very bytes of the document.
//!
//! Its id is unguessable; whether a token is asked for beside it is the answer `agreement_download`.

use super::Context;
use crate::value::document_type;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let not_found = || Problem::not_found(context.answers(), "document", context.id());
    let found = context.world.downloaded(context.id());
    let document = if context.answers().agreement_download.token {
        context.visible(found, |document| document.company, "document", not_found)?
    } else {
        found.ok_or_else(not_found)?
    };
    let media_type = document_type::media_type(&document.name);
    let content = document.content.clone();
    Ok(Outcome::unchanged(context.reply.download(&document.name, media_type, content)))
}
