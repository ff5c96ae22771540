//! The eight verdicts, the rule by which they merge, and the typed facts behind them.

pub mod check;
pub(crate) mod count;
pub mod expected;
mod not_run;
pub mod result;

pub(crate) use count::counted;
pub use not_run::{NotRun, NotRunKind};

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What is said of a check, a step, a scenario or a run. Ordered: the worst is the greatest.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// There was nothing to judge; says why.
    #[strum(serialize = "not applicable")]
    NotApplicable,
    /// It holds.
    Pass,
    /// An open question was answered; the answer is kept.
    Observed,
    /// It does not hold, but only a standard or an example asks for it.
    Warn,
    /// It could not be judged; says why and what would enable it.
    #[strum(serialize = "not run")]
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
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The worst of many; nothing is [`Verdict::NotApplicable`].
    pub fn worst(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts.into_iter().max().unwrap_or(Self::NotApplicable)
    }
}
