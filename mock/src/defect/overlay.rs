//! Defects laid over the answers of another service: those that only rewrite responses.

use super::Defect;
use super::seam::Seam;
use crate::message::response::Response;
use crate::world::{Deviation, ReplyContext};

impl Defect {
    /// Whether it only rewrites responses, so that it can be laid over those of any service.
    pub fn is_rewriting(&self) -> bool {
        matches!(self.seam, Seam::Reply(_) | Seam::Edit { .. })
    }

    /// Rewrites an answer of a service that does not err; nothing where the defect is of another
    /// kind. A refusal has to say so in [`Response::refused`].
    pub fn lay_over(&self, heard: &ReplyContext<'_>, response: &mut Response) {
        self.reply(heard, response);
    }
}
