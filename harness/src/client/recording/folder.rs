//! The folder of a recording: names, reading and errors of its files.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use moot_fixtures::DataError;
use serde::de::DeserializeOwned;

/// Format version of the folder. Other versions are refused.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// The file name of the index.
pub(crate) const INDEX: &str = "index.json";
/// The file that a run locks while it may still write to the folder.
const LOCK: &str = ".moot-lock";
/// The folder with the files of the sessions.
pub(crate) const EXCHANGES: &str = "exchanges";
/// Larger files are refused.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Longer names of scenarios are cut in file names.
const NAME_CHARACTERS_MAX: usize = 120;

/// An error about a file or folder of a recording.
pub(super) fn error(path: &Path, message: impl Into<String>) -> DataError {
    DataError::new(&path.display().to_string(), message)
}

/// A file or folder cannot be written.
pub(super) fn unwritable(path: &Path, why: &io::Error) -> DataError {
    error(path, format!("it cannot be written: {why}"))
}

/// A file is not part of a recording.
pub(super) fn malformed(path: &Path, reason: impl Display) -> DataError {
    error(path, format!("it is not part of a recording: {reason}"))
}

/// A folder that no other run writes to. Dropping it releases the folder.
#[derive(Debug)]
#[must_use]
pub struct FolderLock {
    path: PathBuf,
    _file: File,
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // The lock of a file that stays is free, and `make` does not count the file.
        let _ = fs::remove_file(&self.path);
    }
}

/// Creates the folder, and locks it.
///
/// # Errors
/// It cannot be created, is not empty, or another run has locked it.
pub(crate) fn make(dir: &Path) -> Result<FolderLock, DataError> {
    let failed = |why| unwritable(dir, &why);
    let check_empty = || match is_empty(dir).map_err(failed)? {
        true => Ok(()),
        false => Err(error(
            dir,
            "the folder is not empty; name a new folder for the recording, or empty this one",
        )),
    };
    fs::create_dir_all(dir).map_err(failed)?;
    check_empty()?;
    let path = dir.join(LOCK);
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(failed)?;
    // A file system without locks is no reason to refuse.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(error(dir, "another run writes to this folder; name a new folder"));
    }
    let lock = FolderLock { path, _file: file };
    // Another run may have written and released it in the meantime.
    check_empty()?;
    Ok(lock)
}

fn is_empty(dir: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(dir)? {
        if entry?.file_name() != LOCK {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a JSON file.
///
/// # Errors
/// The file cannot be read, or is not part of a recording.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    let failed = |why: io::Error| error(path, format!("it cannot be read: {why}"));
    if fs::metadata(path).map_err(failed)?.len() > FILE_BYTES_MAX {
        return Err(malformed(path, format!("it is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = fs::read(path).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|why| malformed(path, why))
}

/// The name of a session's file below the folder. It has only characters that every file system accepts.
pub(crate) fn session_file(number: usize, scenario: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    let name: String = scenario.chars().map(plain).take(NAME_CHARACTERS_MAX).collect();
    format!("{EXCHANGES}/{number:04}_{name}.har")
}

/// Whether this file of an index is below the folder of the recording.
pub(crate) fn is_below(file: &str) -> bool {
    let parts: Vec<_> = Path::new(file).components().collect();
    !parts.is_empty() && parts.iter().all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::{is_below, make, session_file};

    #[test]
    fn only_one_run_writes_to_a_folder() {
        let dir = tempfile::tempdir().expect("a folder");
        let first = make(dir.path()).expect("the folder is empty");
        let refusal = make(dir.path()).expect_err("the first run has it");
        assert!(refusal.message.contains("another run"), "{refusal}");
        drop(first);
        // A killed run leaves its file.
        std::fs::write(dir.path().join(super::LOCK), "").expect("a file");
        drop(make(dir.path()).expect("the first run has ended without files"));
        std::fs::write(dir.path().join("index.json"), "{}").expect("a file");
        let refusal = make(dir.path()).expect_err("the folder has a file");
        assert!(refusal.message.contains("not empty"), "{refusal}");
    }

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
