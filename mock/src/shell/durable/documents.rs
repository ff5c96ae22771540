//! The bytes of documents: larger ones are files under their SHA-256, written before a row names
//! them and removed at a start that finds them unnamed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::folder::{self, DurableError};
use crate::call::{Content, ContentPlace};

/// A file is read back in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// The name of a document's file.
pub(super) fn name(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps the file of a document in `files`, durably, where it is not there yet.
pub(super) fn keep(files: &Path, content: &Content, from: &Path) -> io::Result<()> {
    let path = files.join(name(content.digest()));
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

/// The document of `content`, whose bytes must be a file of `files`.
///
/// # Errors
/// [`DurableError`]: it is not there, or not what was written.
pub(super) fn found(files: &Path, content: &Content) -> Result<ContentPlace, DurableError> {
    let path = files.join(name(content.digest()));
    let mut file = File::open(&path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => DurableError::damaged(&path, "a document is missing"),
        _ => DurableError::io(&path)(cause),
    })?;
    let digest = digest(&mut file).map_err(DurableError::io(&path))?;
    if digest != *content.digest() {
        return Err(DurableError::damaged(&path, "it is not the document that was stored"));
    }
    Ok(ContentPlace::File { path, keep: Arc::new(()) })
}

fn digest(file: &mut File) -> io::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.finalize().into()),
            read => digest.update(&piece[..read]),
        }
    }
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
