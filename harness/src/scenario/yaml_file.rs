//! Reads the text of a YAML file that a user writes.

use std::path::Path;

use moot_fixtures::DataError;

/// The largest size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Reads the text of a file. Messages call the file `what`: `target file`.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn text(path: &Path, what: &str) -> Result<String, DataError> {
    let refused = |message| DataError::new(&path.display().to_string(), message);
    let unreadable = |error: std::io::Error| refused(format!("the {what} cannot be read: {error}"));
    if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
        return Err(refused(format!("the {what} is longer than {FILE_BYTES_MAX} bytes")));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}
