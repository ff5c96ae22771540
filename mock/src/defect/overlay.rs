//! Defects laid over the answers of another service: those that only rewrite responses.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::seam::{Said, Seam};
use super::{Defect, worn};
use crate::message::response::Response;

/// What is known of an answer beside itself.
#[derive(Debug, Clone, Copy)]
pub struct Heard<'a> {
    /// The operation that it answers; `None` where it is none of the specification's.
    pub operation: Option<Operation>,
    /// Below the base address, with its leading `/`, without the query.
    pub path: &'a str,
    /// As sent.
    pub query: Option<&'a str>,
    /// When it was answered.
    pub now: Timestamp,
}

impl Defect {
    /// Whether it only rewrites responses, so that it can be laid over those of any service.
    pub fn is_rewriting(&self) -> bool {
        matches!(self.seam, Seam::Reply(_) | Seam::Edit { .. })
    }

    /// Rewrites an answer of a service that does not err; nothing where the defect is of another
    /// kind. A refusal has to say so in [`Response::refused`].
    pub fn lay_over(&self, heard: &Heard<'_>, response: &mut Response) {
        let Heard { operation, path, query, now } = *heard;
        worn::rewrite(self, &Said { operation, path, query, now }, response);
    }
}
