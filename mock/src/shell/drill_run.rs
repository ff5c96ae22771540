//! The drills of a client, as the console shows them while they run. A mock itself runs no drills.

use moot_fixtures::conduct::DrillEnd;
use serde::{Deserialize, Serialize};

/// The progress of a client's drills.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DrillRun {
    /// Whether drills run.
    pub state: DrillRunState,
    /// Whether `POST /drill_run` can start them again.
    pub can_start: bool,
    /// The grade of the client, after the last drill.
    pub grade: Option<String>,
    /// The reasons for the grade, one sentence each.
    pub reasons: Vec<String>,
    /// The calm run, and each drill.
    pub drills: Vec<DrillProgress>,
}

/// The state of a run of drills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DrillRunState {
    /// There are no drills here.
    #[default]
    None,
    /// Drills run.
    Running,
    /// All drills have ended.
    Ended,
}

/// The drills to start again. Shape: `{"only": ["limited"]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrillStart {
    /// Their ids; all drills if empty.
    pub only: Vec<String>,
}

impl DrillStart {
    /// Whether a drill is started again.
    #[must_use]
    pub fn has(&self, drill: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|id| id == drill)
    }
}

/// The state of one drill. In JSON it is one text: `waiting`, `running`, or its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DrillState {
    /// It has not begun.
    Waiting,
    /// It runs.
    Running,
    /// It has ended.
    #[serde(untagged)]
    Ended(DrillEnd),
}

/// The progress of one drill.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrillProgress {
    /// Its id.
    pub drill: String,
    /// Its situation.
    pub title: String,
    /// Whether it waits, runs, or how it ended.
    pub state: DrillState,
    /// The reason for the result, as a sentence.
    pub why: Option<String>,
    /// The number of the client's calls so far; `None` before the start, or if calls are only counted at the end.
    pub calls: Option<usize>,
    /// Numbers of the calls that the situation affected, as in `GET /exchanges`.
    pub met_by: Vec<u64>,
}

impl DrillProgress {
    /// A drill that has not begun.
    #[must_use]
    pub fn waiting(drill: &str, title: &str) -> Self {
        Self {
            drill: drill.to_owned(),
            title: title.to_owned(),
            state: DrillState::Waiting,
            why: None,
            calls: None,
            met_by: Vec::new(),
        }
    }
}
