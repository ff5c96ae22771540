//! Known failures (`expected:` of a target file, `--expected`): what a run is expected to find wrong,
//! why, and until when.
//!
//! [`read`] turns a file into entries, every mistake with line and column; [`Expected::check`] holds
//! them against the scenarios and the day, before anything is sent; [`apply`] marks what happened
//! after the run. Nothing is left out of a run because it is expected to fail.

use std::path::PathBuf;

use moot_fixtures::DataError;

use crate::scenario::model::ScenarioFile;

mod apply;
mod check;
mod entry;
mod read;
mod schema;

pub use apply::{Circumstances, apply};
pub use entry::{Condition, Expected, ExpectedEntry, ExpectedOutcome};
pub use read::{from_text, read};
pub use schema::schema;

/// Reads the known failures of a run, none where there is no file. They are held against the day and the
/// register, and against `files` where the scenarios are known.
///
/// # Errors
/// The first mistake of the file, or the first entry that expired or names nothing.
pub fn read_for(
    path: Option<&PathBuf>,
    files: Option<&[ScenarioFile]>,
) -> Result<Expected, DataError> {
    let Some(path) = path else { return Ok(Expected::default()) };
    let expected = read(path)?;
    match files {
        Some(files) => expected.check(files, today())?,
        None => expected.check_without_scenarios(today())?,
    }
    Ok(expected)
}

/// The day by the clock of this machine, UTC: known failures expire by it.
pub fn today() -> jiff::civil::Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}
