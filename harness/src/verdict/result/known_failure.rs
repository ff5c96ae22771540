//! Known failures, as a result tells them.

use serde::Serialize;
use strum::IntoStaticStr;

use super::TextMap;
use crate::verdict::Verdict;

/// The known failure that a check or a scenario is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownFailure {
    /// Id of the entry.
    pub id: String,
    /// Why it is known.
    pub reason: String,
}

/// What became of an entry of the file of known failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedFailure {
    /// Its id, as written: a scenario, a requirement, or both.
    pub id: String,
    /// `fail`, `warn` or `not run`.
    pub outcome: Verdict,
    /// Why it is known.
    pub reason: String,
    /// The last day: `2027-01-31`.
    pub expires: Option<String>,
    /// Whether it happened.
    pub state: ExpectedState,
    /// Why its condition does not hold.
    pub note: Option<String>,
    /// The checks, or scenarios, that did what was expected.
    pub names: Vec<String>,
}

/// Whether an expected failure happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExpectedState {
    /// It did.
    Happened,
    /// It was judged and did not: drift.
    Stale,
    /// Its condition does not hold.
    Inapplicable,
    /// Nothing of it was selected or judged.
    Unjudged,
}

impl ExpectedState {
    /// As in the JSON report.
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
    /// Whether it did not happen, though it was judged.
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
