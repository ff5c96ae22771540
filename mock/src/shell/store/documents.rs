//! The bytes of large documents: files with the SHA-256 as name. A file is written before a row refers to it. A
//! start removes the files without a row.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::error::DurableError;
use crate::shell::body::digest_of;
use crate::value::message::content::{Content, ContentPlace, hex};

/// The digest of a file name, the inverse of [`hex`].
pub(super) fn digest_of_name(name: &str) -> Option<[u8; 32]> {
    let byte = |at: usize| u8::from_str_radix(name.get(at..at + 2)?, 16).ok();
    let bytes = (0..name.len()).step_by(2).map(byte).collect::<Option<Vec<u8>>>()?;
    bytes.try_into().ok().filter(|digest| hex(digest) == name)
}

/// Stores the file of a document in `files` if it is not there yet, and syncs it to the disk.
pub(super) fn keep(files: &Path, content: &Content, from: &Path) -> io::Result<()> {
    let path = files.join(hex(&content.digest));
    if fs::metadata(&path).is_ok_and(|found| found.len() == content.length) {
        return Ok(());
    }
    File::open(from)?.sync_all()?;
    let linked = fs::hard_link(from, &path);
    // Some file systems have no links. A copy may be incomplete after a crash, but then no row refers to it.
    linked.or_else(|_| fs::copy(from, &path).map(drop))?;
    File::open(&path)?.sync_all()?;
    sync(files)
}

/// The content of a stored document.
pub(super) fn place_of(files: &Path, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
    let path = files.join(hex(digest));
    let actual = digest_of(&path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => DurableError::damaged(&path, "a document is missing"),
        _ => DurableError::io(&path)(cause),
    })?;
    if actual != *digest {
        return Err(DurableError::damaged(&path, "its content is not that of the stored document"));
    }
    // Unlike a temporary file, it remains when its content is dropped.
    Ok(ContentPlace::File { path, keep: Arc::new(()) })
}

/// Removes the files of these documents, if there are any.
pub(super) fn remove(files: &Path, digests: &[[u8; 32]]) -> Result<(), DurableError> {
    for path in digests.iter().map(|digest| files.join(hex(digest))) {
        match fs::remove_file(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(DurableError::io(&path)(cause));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// The digests of all files.
pub(super) fn digests(files: &Path) -> Result<Vec<[u8; 32]>, DurableError> {
    let mut digests = Vec::new();
    for entry in fs::read_dir(files).map_err(DurableError::io(files))? {
        let name = entry.map_err(DurableError::io(files))?.file_name();
        digests.extend(name.to_str().and_then(digest_of_name));
    }
    Ok(digests)
}

/// Syncs the entries of a folder to the disk.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
