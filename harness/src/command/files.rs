//! Files that the user names.

use std::path::Path;

use super::error::CommandError;

/// The text of a file.
pub(super) fn read_file(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| wrong(path, error))
}

/// A file of the user is wrong.
pub(super) fn wrong(path: &Path, why: impl std::fmt::Display) -> CommandError {
    CommandError::usage(format!("{}: {why}", path.display()))
}

/// Writes a file, and the folders around it.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text)).map_err(|error| {
        CommandError::usage(format!("{} cannot be written: {error}", path.display()))
    })
}
