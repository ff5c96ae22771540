//! Why the rest of a scenario is not walked, and the verdict that its checks then have.

use crate::exchange::Trouble;
use crate::scenario::names::UnknownName;
use crate::verdict::{NotRun, NotRunKind, Verdict};

/// Why the rest of a scenario is not walked.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// It does not apply to this target.
    NotApplicable(String),
    /// It could not be judged.
    NotRun(NotRun),
    /// Our own fault.
    Ours(String),
}

impl Stop {
    pub(super) fn not_run(kind: NotRunKind, reason: impl Into<String>) -> Self {
        Self::NotRun(NotRun::new(kind, reason))
    }

    pub(super) fn ours(reason: &str) -> Self {
        Self::Ours(reason.to_owned())
    }

    /// The kind of reason, where it could not be judged.
    pub(super) fn not_run_kind(&self) -> Option<NotRunKind> {
        match self {
            Self::NotRun(not_run) => Some(not_run.kind),
            Self::NotApplicable(_) | Self::Ours(_) => None,
        }
    }

    /// The verdict of what was not walked because of it, and why.
    pub(super) fn verdict(&self) -> (Verdict, &str) {
        match self {
            Self::NotApplicable(reason) => (Verdict::NotApplicable, reason),
            Self::NotRun(not_run) => (Verdict::NotRun, &not_run.reason),
            Self::Ours(reason) => (Verdict::Error, reason),
        }
    }
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        let kind = match &trouble {
            Trouble::Operator(_) => NotRunKind::OperatorFailed,
            Trouble::Unreachable(_)
            | Trouble::Tls(_)
            | Trouble::Deadline(_)
            | Trouble::CutShort(_)
            | Trouble::Broken(_)
            | Trouble::Withheld(_) => NotRunKind::NoAnswer,
        };
        Self::not_run(kind, trouble.to_string())
    }
}

impl From<UnknownName> for Stop {
    fn from(unknown: UnknownName) -> Self {
        // Names are checked before a run; what is missing now is a member of a value that came.
        Self::not_run(NotRunKind::MissingValue, unknown.to_string())
    }
}
