//! Known failures in the result of a run.

use serde::Serialize;
use strum::IntoStaticStr;

use super::TextMap;
use crate::verdict::Verdict;

/// The entry of the file of known failures that explains a check or a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownFailure {
    /// The id of the entry.
    pub id: String,
    /// The reason in the entry.
    pub reason: String,
}

/// An entry of the file of known failures, and whether it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedFailure {
    /// The id in the file: a scenario, a requirement, or both.
    pub id: String,
    /// `fail`, `warn` or `not run`.
    pub outcome: Verdict,
    /// The reason in the entry.
    pub reason: String,
    /// The last day: `2027-01-31`.
    pub expires: Option<String>,
    /// Whether it happened.
    pub state: ExpectedState,
    /// The reason why the condition of the entry does not hold.
    pub note: Option<String>,
    /// The checks or scenarios with the expected outcome.
    pub names: Vec<String>,
}

/// Whether an expected failure happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExpectedState {
    /// It happened.
    Happened,
    /// It was judged and did not happen: drift.
    Stale,
    /// The condition of the entry does not hold.
    Inapplicable,
    /// No scenario or check of the entry was selected or judged.
    Unjudged,
}

impl ExpectedState {
    /// The word in the JSON report.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl KnownFailure {
    pub(super) fn map_texts(&mut self, map: &impl TextMap) {
        self.id = map.line(&self.id);
        self.reason = map.line(&self.reason);
    }
}

impl ExpectedFailure {
    /// Whether it was judged and did not happen.
    pub fn is_stale(&self) -> bool {
        self.state == ExpectedState::Stale
    }

    pub(super) fn map_texts(&mut self, map: &impl TextMap) {
        for text in [&mut self.id, &mut self.reason]
            .into_iter()
            .chain(&mut self.note)
            .chain(&mut self.names)
        {
            *text = map.line(text);
        }
    }
}
