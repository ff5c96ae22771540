//! The eight verdicts, the rule by which they merge, and the typed facts behind them.

mod not_run;

pub use not_run::{NotRun, NotRunKind};

use serde::{Deserialize, Serialize};

/// What is said of a check, a step, a scenario or a run. Ordered: the worst is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There was nothing to judge; says why.
    NotApplicable,
    /// It holds.
    Pass,
    /// An open question was answered; the answer is kept.
    Observed,
    /// It does not hold, but only a standard or an example asks for it.
    Warn,
    /// It could not be judged; says why and what would enable it.
    NotRun,
    /// It differs from a snapshot or a pinned answer.
    Drift,
    /// The specification is violated.
    Fail,
    /// Our own fault.
    Error,
}

impl Verdict {
    /// All of them, worst first.
    pub const WORST_FIRST: [Self; 8] = [
        Self::Error,
        Self::Fail,
        Self::Drift,
        Self::NotRun,
        Self::Warn,
        Self::Observed,
        Self::Pass,
        Self::NotApplicable,
    ];

    /// For people: `not run`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotApplicable => "not applicable",
            Self::Pass => "pass",
            Self::Observed => "observed",
            Self::Warn => "warn",
            Self::NotRun => "not run",
            Self::Drift => "drift",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }

    /// The worst of many; nothing is [`Verdict::NotApplicable`].
    pub fn worst(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts.into_iter().max().unwrap_or(Self::NotApplicable)
    }
}
