//! The reason why a scenario or a check was not run.

use serde::{Deserialize, Serialize};

/// The reason why a scenario was not run, and the setting that would enable it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// For programs.
    pub kind: NotRunKind,
    /// For people, as a clause: `the target has no second company`.
    pub reason: String,
    /// The setting that would enable it: `applications.other_company in the target file`.
    pub setting: Option<String>,
    /// The value for `tolerate` in the target file: the missing need, or the name of the scenario.
    pub tolerate_as: String,
    /// Whether the target file tolerates it.
    pub is_tolerated: bool,
}

impl NotRun {
    /// A reason without a setting. It is not tolerated.
    pub fn new(kind: NotRunKind, reason: impl Into<String>) -> Self {
        let (setting, tolerate_as) = (None, String::new());
        Self { kind, reason: reason.into(), setting, tolerate_as, is_tolerated: false }
    }
}

/// The kind of reason why a scenario or a check was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotRunKind {
    /// The target does not meet a need of the scenario.
    NeedNotMet,
    /// The command line excludes the scenario.
    Excluded,
    /// The target did not respond, or the client did not send the request.
    NoAnswer,
    /// The operator of the target did not act.
    OperatorFailed,
    /// The rate limit of a deployment refused the request.
    RateLimited,
    /// The run has used up its budget of token requests.
    TokenBudget,
    /// A precondition of the step does not hold.
    Precondition,
    /// The target refused the control: the same call without the mistake.
    Control,
    /// `poll` ended before its expectation held.
    PollTimeout,
    /// The response cannot be used: it is too long, or it is not a list.
    UnusableAnswer,
    /// The data of the target changed during the check.
    DataChanged,
    /// An earlier response lacks a value that the scenario uses.
    MissingValue,
    /// The schema of a workflow does not allow to make a request.
    UnusableSchema,
    /// The run was interrupted.
    Interrupted,
}
