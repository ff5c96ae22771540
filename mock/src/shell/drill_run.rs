//! The drills of a client, as the console shows them while they run. A mock runs none itself.

use serde::Serialize;

/// How far the drills of a client are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DrillRun {
    /// Whether there are any, and whether they are over.
    pub state: DrillRunState,
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
