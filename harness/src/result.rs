//! The result of a run as data: every report renders it.

mod counts;
mod outcome;
mod run_result;
mod tally;

pub use crate::client::Residue;
pub use counts::Counts;
pub use outcome::{Ending, ending};
pub use run_result::{
    CheckResult, ExpectedFailure, ExpectedState, Known, Outcome, RunResult, ScenarioResult,
    SnapshotCounts, SnapshotFindings, StepResult, Subject,
};
pub use tally::Tally;
