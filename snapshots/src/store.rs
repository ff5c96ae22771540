//! A folder of snapshots: compares, records, and accepts or rejects pending texts.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::{fs, io};

use similar::TextDiff;

use crate::changes::{SnapshotChange, changes};
use crate::file::{self, Metadata};
use crate::shape::fill_empty_lists;

/// Lines of context in a diff.
const DIFF_CONTEXT_LINES: usize = 3;

/// The use of snapshots in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreMode {
    /// Compares, writes nothing.
    Check,
    /// Writes new texts as accepted, and different texts as pending (`.snap.new`).
    Record,
    /// Compares, writes nothing. The run keeps the new and the different texts, for a [`crate::Bundle`].
    Collect,
}

/// The result of a comparison, the worst last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Comparison {
    /// The text is the accepted one.
    Match,
    /// There was no snapshot. The text was recorded.
    Added,
    /// The text differs from the accepted one. It is pending.
    Updated,
    /// There is no snapshot, and nothing was written.
    Missing {
        /// The new text.
        new: String,
    },
    /// The text differs from the accepted one.
    Mismatch {
        /// The new text.
        new: String,
        /// Unified diff from old to new.
        diff: String,
        /// The differences, place by place.
        changes: Vec<SnapshotChange>,
    },
    /// A file could not be read or written.
    Error(String),
}

/// An accepted snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotEntry {
    /// `04_07_get_request/by-id__get`.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Scenario and step, for people.
    pub description: Option<String>,
    /// Whether another text is pending.
    pub is_pending: bool,
}

/// A pending text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSnapshot {
    /// Name of the snapshot.
    pub name: String,
    /// The `.snap.new` file.
    pub new_file: PathBuf,
    /// The accepted file. It may not exist.
    pub file: PathBuf,
    /// Unified diff from the accepted text to the new one.
    pub diff: String,
}

/// An error of the file system, or a file that is not a snapshot.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub(crate) String);

impl StoreError {
    /// An error of the file system, with the file or folder.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self(format!("{}: {error}", path.display()))
    }
}

/// The file of the snapshot `name` (`STEM/REST`) below `dir`. Each scenario file has a folder.
/// Characters that are not safe in file names become `-`. Such a name gets a digest, so that two names
/// never share a file.
pub fn file_of(dir: &Path, name: &str) -> PathBuf {
    let (stem, rest) = name.split_once('/').unwrap_or(("", name));
    let mut path = dir.to_path_buf();
    if !stem.is_empty() {
        path.push(plain(stem));
    }
    path.push(format!("{}.snap", plain(rest)));
    path
}

/// Compares `content` with the accepted snapshot `name`. The [`StoreMode`] decides on writing.
pub fn check(
    dir: &Path,
    name: &str,
    metadata: &Metadata,
    content: &str,
    mode: StoreMode,
) -> Comparison {
    compare(dir, name, metadata, content, mode)
        .unwrap_or_else(|error| Comparison::Error(error.to_string()))
}

fn compare(
    dir: &Path,
    name: &str,
    metadata: &Metadata,
    content: &str,
    mode: StoreMode,
) -> Result<Comparison, StoreError> {
    let path = file_of(dir, name);
    let pending = pending_path(&path);
    let new = file::normal(content);
    let Some(old) = accepted(&path)? else {
        return match mode {
            StoreMode::Check | StoreMode::Collect => Ok(Comparison::Missing { new }),
            StoreMode::Record => {
                write(&path, &file::render(metadata, &today(), &new))?;
                remove_if_there(&pending)?;
                Ok(Comparison::Added)
            }
        };
    };
    // If a list is empty now, the accepted shape of its items remains.
    let new = fill_empty_lists(&new, &old);
    Ok(match mode {
        StoreMode::Record if old == new => {
            // A pending text of an earlier run is no longer correct.
            remove_if_there(&pending)?;
            Comparison::Match
        }
        StoreMode::Record => {
            write(&pending, &file::render(metadata, &today(), &new))?;
            Comparison::Updated
        }
        StoreMode::Check | StoreMode::Collect => {
            let old = fill_empty_lists(&old, &new);
            if old == new {
                return Ok(Comparison::Match);
            }
            let (diff, changes) = (unified_diff(&old, &new), changes(&old, &new));
            Comparison::Mismatch { new, diff, changes }
        }
    })
}

/// The accepted text, if there is one.
fn accepted(path: &Path) -> Result<Option<String>, StoreError> {
    if !path.exists() {
        return Ok(None);
    }
    file::read(path).map(|(text, _)| Some(text)).map_err(StoreError)
}

/// Writes a snapshot or a pending text.
pub(crate) fn write_text(path: &Path, metadata: &Metadata, content: &str) -> Comparison {
    match write(path, &file::render(metadata, &today(), &file::normal(content))) {
        Ok(()) => Comparison::Updated,
        Err(error) => Comparison::Error(error.to_string()),
    }
}

/// Every accepted snapshot below `dir`, by name.
///
/// # Errors
/// A folder cannot be read, or a file is not a snapshot.
pub fn list(dir: &Path) -> Result<Vec<SnapshotEntry>, StoreError> {
    let mut entries = Vec::new();
    for path in files(dir)? {
        if path.extension().is_some_and(|extension| extension == "snap") {
            let (_, description) = file::read(&path).map_err(StoreError)?;
            let is_pending = pending_path(&path).exists();
            entries.push(SnapshotEntry {
                name: name_of(dir, &path),
                file: path,
                description,
                is_pending,
            });
        }
    }
    Ok(entries)
}

/// Every pending text below `dir`, by name.
///
/// # Errors
/// A folder cannot be read, or a file is not a snapshot.
pub fn pending(dir: &Path) -> Result<Vec<PendingSnapshot>, StoreError> {
    let mut all = Vec::new();
    for new_file in files(dir)? {
        if !new_file.to_string_lossy().ends_with(".snap.new") {
            continue;
        }
        let file = new_file.with_extension("");
        let (new, _) = file::read(&new_file).map_err(StoreError)?;
        let old = accepted(&file)?.unwrap_or_default();
        let diff = unified_diff(&old, &new);
        all.push(PendingSnapshot { name: name_of(dir, &file), new_file, file, diff });
    }
    Ok(all)
}

/// Accepts the pending text.
///
/// # Errors
/// The file system refuses.
pub fn accept(pending: &PendingSnapshot) -> Result<(), StoreError> {
    fs::rename(&pending.new_file, &pending.file).map_err(StoreError::at(&pending.new_file))
}

/// Deletes the pending text.
///
/// # Errors
/// The file system refuses.
pub fn reject(pending: &PendingSnapshot) -> Result<(), StoreError> {
    fs::remove_file(&pending.new_file).map_err(StoreError::at(&pending.new_file))
}

/// All files below `dir`, sorted. Empty if the folder does not exist. Links are not followed.
fn files(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    let mut folders = if dir.is_dir() { vec![dir.to_path_buf()] } else { vec![] };
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(StoreError::at(&folder))? {
            let entry = entry.map_err(StoreError::at(&folder))?;
            let kind = entry.file_type().map_err(StoreError::at(&entry.path()))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn name_of(dir: &Path, path: &Path) -> String {
    let below = path.strip_prefix(dir).unwrap_or(path).with_extension("");
    below.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

fn plain(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' })
        .collect();
    if shown == text { shown } else { format!("{shown}-{:08x}", digest(text)) }
}

/// FNV-1a. The digest only distinguishes names and does not protect anything.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

pub(crate) fn pending_path(path: &Path) -> PathBuf {
    path.with_extension("snap.new")
}

fn unified_diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(&format!("{old}\n"), &format!("{new}\n"))
        .unified_diff()
        .context_radius(DIFF_CONTEXT_LINES)
        .header("accepted", "new")
        .to_string()
}

/// Writes another file and renames it, so that a file is written completely or not at all.
fn write(path: &Path, text: &str) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(StoreError::at(path))?;
    }
    let beside = path.with_extension("tmp");
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(StoreError::at(path))
}

pub(crate) fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::at(path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The date for the header: `2026-03-05`, UTC.
fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
