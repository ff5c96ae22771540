//! The eight verdicts, and how they are found: checks, results of a run, known failures.

pub mod check;
pub mod expected;
mod not_run;
pub(crate) mod phrase;
pub mod result;

pub use not_run::{NotRun, NotRunKind};
pub(crate) use phrase::{pluralize, sentence_case};

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// The verdict of a check, a step, a scenario or a run. The worst is the greatest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// There was nothing to judge. The message has the reason.
    #[default]
    #[strum(serialize = "not applicable")]
    NotApplicable,
    /// The requirement holds.
    Pass,
    /// The response answers an open question. The run keeps the answer.
    Observed,
    /// A requirement that only a standard or an example states does not hold.
    Warn,
    /// The check could not be made. The message has the reason.
    #[strum(serialize = "not run")]
    NotRun,
    /// The response differs from a snapshot or a pinned answer.
    Drift,
    /// The target violates the specification.
    Fail,
    /// An error of this program.
    Error,
}

impl Verdict {
    /// All verdicts, the worst first.
    pub fn worst_first() -> impl Iterator<Item = Self> {
        Self::VARIANTS.iter().rev().copied()
    }

    /// For people: `not run`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the target violates a requirement.
    pub const fn is_violation(self) -> bool {
        matches!(self, Self::Fail | Self::Warn)
    }

    /// The worst of these verdicts. [`Verdict::NotApplicable`] if there are none.
    pub fn worst(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts.into_iter().max().unwrap_or(Self::NotApplicable)
    }
}
