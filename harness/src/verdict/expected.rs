//! Known failures: the failures that a run of this target is expected to have, with a reason and a last
//! day. They come from `expected:` in a target file or from `--expected`.
//!
//! [`read_for`] reads the file and checks it before anything is sent: against the scenarios, the
//! register and the day. After the run, [`apply`] marks the failures that happened. An expected failure
//! still runs.

use std::path::PathBuf;

use moot_fixtures::DataError;

use crate::scenario::model::ScenarioFile;

mod apply;
mod check;
mod entry;
mod read;
mod schema;

pub use apply::apply;
pub use entry::{ExpectedEntry, ExpectedFailures, ExpectedId};
pub use read::from_text;
pub use schema::schema;

/// Reads the known failures of a run. Without a file there are none. Without `files`, the scenarios are
/// drawn later, and only the requirements of the entries are checked.
///
/// # Errors
/// The first mistake of the file, or the first entry that expired or has an unknown id.
pub fn read_for(
    path: Option<&PathBuf>,
    files: Option<&[ScenarioFile]>,
) -> Result<ExpectedFailures, DataError> {
    let Some(path) = path else { return Ok(ExpectedFailures::default()) };
    let expected = read::read(path)?;
    // The last day of an entry is a day in UTC, by the clock of this machine.
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    expected.check(files, &today)?;
    Ok(expected)
}
