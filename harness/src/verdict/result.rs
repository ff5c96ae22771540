//! The result of a run, as data. Every report renders these values.

mod check_result;
mod counts;
mod event;
mod known_failure;
mod outcome;
mod run_result;
mod scenario_result;
mod tally;

pub use check_result::{CheckResult, Subject};
pub use counts::Counts;
pub use event::Event;
pub use known_failure::{ExpectedFailure, ExpectedState, KnownFailure};
pub use outcome::{RunOutcome, outcome_of};
pub use run_result::{RepeatCommand, RunResult, SnapshotCounts, SnapshotFindings, TextMap};
pub(crate) use scenario_result::seconds;
pub use scenario_result::{ScenarioResult, StepResult};
pub use tally::Tally;
