//! The folder of a recording: its files, and the errors of reading and writing them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// Version of the format of the folder. Other versions are refused.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// The index.
pub(crate) const INDEX: &str = "index.json";
/// The folder with the files of the sessions.
pub(crate) const EXCHANGES: &str = "exchanges";
/// Bytes. Longer files are refused.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Characters of a scenario's name in the name of a file.
const NAME_CHARACTERS_MAX: usize = 120;

/// Why a recording cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// A file or folder cannot be read or written.
    #[error("{} can't be used: {source}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The folder is not empty.
    #[error("{} is not empty; a recording goes into a folder of its own", .path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not part of a recording.
    #[error("{} is not part of a recording: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder has another version of the format.
    #[error(
        "{} is of version {found}, this program reads version {}", .path.display(),
        FORMAT_VERSION
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file would contain a secret, and was not written.
    #[error("a secret stands in {}, which was not written", .path.display())]
    Secret {
        /// The file.
        path: PathBuf,
    },
}

/// Creates the folder. An existing folder must be empty.
///
/// # Errors
/// [`RecordingError::Occupied`], [`RecordingError::File`].
pub(crate) fn make(dir: &Path) -> Result<(), RecordingError> {
    let failed = |source| RecordingError::File { path: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(failed)?;
    match fs::read_dir(dir).map_err(failed)?.next() {
        Some(_) => Err(RecordingError::Occupied { path: dir.to_owned() }),
        None => Ok(()),
    }
}

/// Reads a JSON file.
///
/// # Errors
/// [`RecordingError::File`], [`RecordingError::Malformed`].
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RecordingError> {
    let failed = |source| RecordingError::File { path: path.to_owned(), source };
    let malformed = |reason| RecordingError::Malformed { path: path.to_owned(), reason };
    if fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(malformed(format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = fs::read(path).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))
}

/// The name of a session's file below the folder. Every file system accepts its characters.
pub(crate) fn session_file(number: usize, scenario: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = scenario.chars().map(plain).take(NAME_CHARACTERS_MAX).collect();
    format!("{EXCHANGES}/{number:04}_{name}.har")
}

/// Whether an index may name this file: it must be in the folder of sessions.
pub(crate) fn is_below(file: &str) -> bool {
    let parts: Vec<_> = Path::new(file).components().collect();
    !parts.is_empty() && parts.iter().all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::{is_below, session_file};

    #[test]
    fn a_session_stays_below_its_folder() {
        assert_eq!(session_file(7, "04/a[b ü]"), "exchanges/0007_04_a_b___.har");
        for (file, expected) in
            [("exchanges/a.har", true), ("../a", false), ("/etc/a", false), ("", false)]
        {
            assert_eq!(is_below(file), expected, "{file}");
        }
    }
}
