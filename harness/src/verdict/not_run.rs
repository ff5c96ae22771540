//! Why something was not run.

use serde::{Deserialize, Serialize};

/// Why something was not run, and what would enable it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// The kind of the reason, for programs.
    pub kind: NotRunKind,
    /// The reason for people, as a clause: `the target has no second company`.
    pub reason: String,
    /// The setting that would enable it: `applications.other_company in the target file`.
    pub setting: Option<String>,
    /// The need that is not met, or the scenario's name: what `tolerate` names.
    pub tolerate_as: String,
    /// Whether the target file tolerates it.
    pub is_tolerated: bool,
}

impl NotRun {
    /// A reason without a setting that would enable it. Not tolerated.
    pub fn new(kind: NotRunKind, reason: impl Into<String>) -> Self {
        let (setting, tolerate_as) = (None, String::new());
        Self { kind, reason: reason.into(), setting, tolerate_as, is_tolerated: false }
    }
}

/// The kind of reason why something was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotRunKind {
    /// The target does not meet a need of the scenario.
    NeedNotMet,
    /// The command line left the scenario out.
    Excluded,
    /// The target gave no answer, or the client withheld the request.
    NoAnswer,
    /// The operator of the target did not act.
    OperatorFailed,
    /// The rate limit of a deployment refused the request.
    RateLimited,
    /// The run asked a limited token endpoint as often as it may.
    TokenBudget,
    /// A precondition of the step does not hold.
    Precondition,
    /// The same call without the flaw was not accepted.
    Control,
    /// The awaited state did not come about in time.
    PollTimeout,
    /// The answer cannot be used: it is too long, or it is not a list.
    UnusableAnswer,
    /// The data changed while it was judged.
    DataChanged,
    /// A value that the scenario uses is missing in an earlier answer.
    MissingValue,
    /// No request can be made of the schema.
    UnusableSchema,
    /// The run was interrupted.
    Interrupted,
}
