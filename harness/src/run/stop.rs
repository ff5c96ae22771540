//! The reason that ends a scenario early, and the verdict that it gives to the checks that are left.

use crate::exchange::Trouble;
use crate::scenario::names::UnknownName;
use crate::verdict::{NotRun, NotRunKind, Verdict};

/// The reason that ends a scenario early.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// The scenario does not apply to this target.
    NotApplicable(String),
    /// It could not be judged.
    NotRun(NotRun),
    /// A fault of moot.
    Ours(String),
}

impl Stop {
    pub(super) fn not_run(kind: NotRunKind, reason: impl Into<String>) -> Self {
        Self::NotRun(NotRun::new(kind, reason))
    }

    pub(super) fn ours(reason: &str) -> Self {
        Self::Ours(reason.to_owned())
    }

    /// Adds the line of the step to the reason, if a value is missing in it.
    pub(super) fn in_step(self, line: u32) -> Self {
        match self {
            Self::NotRun(not_run) if not_run.kind == NotRunKind::MissingValue => {
                let reason = format!(
                    "{} in the step at line {line}: no earlier step found it",
                    not_run.reason
                );
                Self::NotRun(NotRun { reason, ..not_run })
            }
            stop => stop,
        }
    }

    pub(super) fn not_run_kind(&self) -> Option<NotRunKind> {
        match self {
            Self::NotRun(not_run) => Some(not_run.kind),
            Self::NotApplicable(_) | Self::Ours(_) => None,
        }
    }

    /// The verdict of the checks that are left, and the reason.
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
            | Trouble::Timeout(_)
            | Trouble::CutShort(_)
            | Trouble::Broken(_)
            | Trouble::Withheld(_) => NotRunKind::NoAnswer,
        };
        Self::not_run(kind, trouble.to_string())
    }
}

impl From<UnknownName> for Stop {
    fn from(unknown: UnknownName) -> Self {
        // Validation has checked all names, so a member of a captured value is missing.
        Self::not_run(NotRunKind::MissingValue, unknown.to_string())
    }
}
