//! The bytes of documents: larger ones are files under their SHA-256, written before a row names
//! them and removed at a start that finds them unnamed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{self, DurableError};
use crate::message::content::{Content, ContentFile, ContentPlace};
use crate::shell::body::digest_of;

/// A file that stays, whatever becomes of its content.
#[derive(Debug)]
struct Lasting(PathBuf);

impl ContentFile for Lasting {
    fn digest(&self) -> Option<[u8; 32]> {
        digest_of(&self.0).ok()
    }
}

/// The name of a document's file.
pub(super) fn name(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps the file of a document in `files`, durably, where it is not there yet.
pub(super) fn keep(files: &Path, content: &Content, from: &Path) -> io::Result<()> {
    let digest = content.digest().ok_or(io::ErrorKind::NotFound)?;
    let path = files.join(name(digest));
    if fs::metadata(&path).is_ok_and(|found| found.len() == content.length) {
        return Ok(());
    }
    File::open(from)?.sync_all()?;
    let linked = fs::hard_link(from, &path);
    // Not every file system has links; a copy that breaks off is named by no row.
    linked.or_else(|_| fs::copy(from, &path).map(drop))?;
    File::open(&path)?.sync_all()?;
    folder::sync(files)
}

/// The document of a digest, whose bytes must be a file of `files`.
///
/// # Errors
/// [`DurableError`]: it is not there, or not what was written.
pub(super) fn found(files: &Path, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
    let path = files.join(name(digest));
    let found = digest_of(&path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => DurableError::damaged(&path, "a document is missing"),
        _ => DurableError::io(&path)(cause),
    })?;
    if found != *digest {
        return Err(DurableError::damaged(&path, "it is not the document that was stored"));
    }
    Ok(ContentPlace::File { keep: Arc::new(Lasting(path.clone())), path })
}

/// Removes the files that no row names.
///
/// # Errors
/// [`DurableError::Io`].
pub(super) fn sweep(files: &Path, named: &BTreeSet<[u8; 32]>) -> Result<(), DurableError> {
    let names: BTreeSet<String> = named.iter().map(name).collect();
    for path in entries(files)? {
        let is_named = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| names.contains(name));
        if !is_named {
            fs::remove_file(&path).map_err(DurableError::io(&path))?;
        }
    }
    Ok(())
}

/// What a folder holds.
///
/// # Errors
/// [`DurableError::Io`].
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, DurableError> {
    let entries = fs::read_dir(folder).map_err(DurableError::io(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(DurableError::io(folder))
}
