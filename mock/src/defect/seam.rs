//! The seams at which a defect wraps the core.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::arriving::Arriving;
use super::asked::Asked;
use super::edit::Edit;
use crate::message::call::Admission;
use crate::message::response::Response;
use crate::state::change::Change;
use crate::world::{Outcome, World};

/// Where a defect sits, and what it does there.
#[derive(Clone, Copy)]
pub(crate) enum Seam {
    /// Calls a minute that the limit of §8 accepts.
    CallsMax(u32),
    /// Sees what admission said, and may say something else.
    Admit(fn(&Arriving<'_>, Admission) -> Admission),
    /// Sees an outcome, may ask the core again, and may rewrite answer and changes.
    Answer(fn(&Asked<'_>, Outcome) -> Outcome),
    /// Sees every response, refusals of admission too.
    Reply(fn(&Said<'_>, &mut Response)),
    /// Edits a member of JSON bodies.
    Edit {
        /// Of which responses.
        on: On,
        /// The member, see [`Edit`].
        at: &'static str,
        /// How.
        edit: Edit,
    },
    /// Lets through what the core refuses with this in its detail, see [`super::forge`].
    Forgotten {
        /// Of these calls.
        on: Operation,
        /// Part of the detail.
        detail: &'static str,
    },
    /// Refuses as the core does, after the change was made.
    Late {
        /// Of these calls.
        on: Operation,
        /// Part of the detail.
        detail: &'static str,
    },
    /// Refuses what the core takes.
    Strict {
        /// Of these calls.
        on: Operation,
        /// Which of them.
        when: fn(&Asked<'_>) -> bool,
    },
    /// Sees changes right before they are applied, whoever ordered them.
    Apply(fn(&World, Vec<Change>) -> Vec<Change>),
}

/// What is known of a response beside itself.
pub(crate) struct Said<'a> {
    /// `None` where no operation was found.
    pub(crate) operation: Option<Operation>,
    /// Below the base address.
    pub(crate) path: &'a str,
    /// As sent.
    pub(crate) query: Option<&'a str>,
    /// The world's time.
    pub(crate) now: Timestamp,
}

/// Which responses an edit is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    /// Successes of these operations.
    Success(&'static [Operation]),
    /// Refusals of every operation but the token endpoints.
    Problems,
    /// Refusals of the token endpoints.
    TokenFailures,
}

impl On {
    pub(super) fn holds(self, said: &Said<'_>, response: &Response) -> bool {
        let is_token =
            matches!(said.operation, Some(Operation::CreateAccessToken | Operation::RevokeToken));
        match self {
            Self::Success(operations) => {
                response.status.is_success()
                    && said.operation.is_some_and(|operation| operations.contains(&operation))
            }
            Self::Problems => response.refused.is_some() && !is_token,
            Self::TokenFailures => response.refused.is_some() && is_token,
        }
    }
}

/// Forgets a check of creating a request.
pub(super) const fn create_forgets(detail: &'static str) -> Seam {
    Seam::Forgotten { on: Operation::CreateLegalRequest, detail }
}

/// Forgets a check of uploading a document.
pub(super) const fn upload_forgets(detail: &'static str) -> Seam {
    Seam::Forgotten { on: Operation::CreateRepositoryDocument, detail }
}

/// Refuses requests that are sound.
pub(super) const fn create_refuses(when: fn(&Asked<'_>) -> bool) -> Seam {
    Seam::Strict { on: Operation::CreateLegalRequest, when }
}

/// Edits successes.
pub(super) const fn success(on: &'static [Operation], at: &'static str, edit: Edit) -> Seam {
    Seam::Edit { on: On::Success(on), at, edit }
}

/// Edits problems.
pub(super) const fn problems(at: &'static str, edit: Edit) -> Seam {
    Seam::Edit { on: On::Problems, at, edit }
}

/// Edits token failures.
pub(super) const fn token_failures(at: &'static str, edit: Edit) -> Seam {
    Seam::Edit { on: On::TokenFailures, at, edit }
}
