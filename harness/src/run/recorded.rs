//! What the index of a recording says of a run.

use crate::client::recording::RecordingIndex;
use crate::verdict::result::RunResult;

/// The index of the recording of this run, without the options that are needed to judge it again.
pub fn recording_index(result: &RunResult) -> RecordingIndex {
    RecordingIndex {
        recorded_at: result.started_at.clone(),
        seed: result.seed,
        exit_code: result.exit_code(),
        costs: result.costs(),
        ..RecordingIndex::default()
    }
}
