//! The drills of a client, as the console shows them while they run. A mock runs none itself.

use serde::{Deserialize, Serialize};

/// How far the drills of a client are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DrillRun {
    /// Whether there are any, and whether they are over.
    pub state: DrillRunState,
    /// Whether `POST /drill_run` can start them again.
    pub can_start: bool,
    /// The grade of the client, once they are over.
    pub grade: Option<String>,
    /// Why it is not a better one, a sentence each.
    pub reasons: Vec<String>,
    /// The calm run, and each drill.
    pub drills: Vec<DrillProgress>,
}

/// Whether drills run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DrillRunState {
    /// This mock knows of no drills.
    #[default]
    None,
    /// They run.
    Running,
    /// They are over.
    Ended,
}

/// Which drills to start again. Shape: `{"only": ["limited"]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DrillStart {
    /// Their ids; none: all.
    pub only: Vec<String>,
}

impl DrillStart {
    /// Whether a drill is started again.
    #[must_use]
    pub fn has(&self, drill: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|id| id == drill)
    }
}

/// How far one drill is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrillProgress {
    /// Its id.
    pub drill: String,
    /// What happens in it.
    pub title: String,
    /// `waiting`, `running`, or how it ended.
    pub state: String,
    /// Why it ended so, in a sentence.
    pub why: Option<String>,
    /// How many calls the client made in it so far; `None` if it has not begun, or nobody counts while it runs.
    pub calls: Option<usize>,
    /// Numbers of the calls that met the situation, as in `GET /exchanges`.
    pub met_by: Vec<u64>,
}

impl DrillProgress {
    /// A drill that has not begun.
    #[must_use]
    pub fn waiting(drill: &str, title: &str) -> Self {
        Self {
            drill: drill.to_owned(),
            title: title.to_owned(),
            state: "waiting".to_owned(),
            why: None,
            calls: None,
            met_by: Vec::new(),
        }
    }
}
