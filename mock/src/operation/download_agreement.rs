//! The download behind `agreement_url` (§2.2): the bytes of the document.
//!
//! Its id can't be guessed. If the answer `agreement_download` says so, it also needs a token.

use super::Context;
use crate::value::document_type;
use crate::value::message::problem::Problem;
use crate::world::Outcome;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let found = context.world.downloaded(context.id());
    let document = if context.answers().agreement_download.token {
        context.visible(found, |document| document.company)?
    } else {
        found.ok_or_else(|| context.no_object())?
    };
    let media_type = document_type::media_type(&document.name);
    let content = document.content.clone();
    Ok(Outcome::unchanged(context.responder.download(&document.name, media_type, content)))
}
