//! One side of a comparison.

use std::collections::BTreeMap;

use super::comparison::ComparedSide;
use super::reading::{RunReadings, StepReading};
use crate::scenario::ScenarioName;
use crate::verdict::result::RunResult;

/// One side: the run, and the responses of the target.
pub struct SideRun {
    /// The name on the command line.
    pub(super) word: String,
    /// The run.
    pub result: RunResult,
    pub(super) readings: BTreeMap<ScenarioName, Vec<StepReading>>,
}

impl SideRun {
    /// A run, with the responses that its events collected.
    pub fn new(word: &str, result: RunResult, readings: &RunReadings) -> Self {
        Self { word: word.to_owned(), result, readings: readings.take() }
    }

    /// The readings of a scenario. Empty if it sent nothing.
    pub(super) fn steps(&self, scenario: &ScenarioName) -> &[StepReading] {
        self.readings.get(scenario).map_or(&[], Vec::as_slice)
    }

    /// This side, as in the comparison.
    pub(super) fn to_compared(&self) -> ComparedSide {
        let stale = self.result.expected.iter().filter(|one| one.is_stale());
        ComparedSide {
            word: self.word.clone(),
            base_url: self.result.target.base_url.clone(),
            class: self.result.target.class.to_string(),
            started_at: self.result.started_at.clone(),
            outcome: self.result.outcome,
            exit_code: self.result.exit_code(),
            trouble: self.result.trouble.clone(),
            requests_sent: self.result.requests_sent,
            stale: stale.map(|one| one.id.clone()).collect(),
        }
    }
}
