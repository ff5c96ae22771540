//! Collects the bytes of a part: in memory, or beyond [`MEMORY_BYTES_MAX`] in a temporary file.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::BytesMut;
use sha2::{Digest, Sha256};
use tempfile::{NamedTempFile, TempPath};

use super::upload_folder::UploadFolder;
use crate::value::limits::TEXT_FIELD_BYTES_MAX;
use crate::value::message::content::{Content, ContentPlace};

/// A part of up to this many bytes stays in memory, so that the core can read every text field.
pub(super) const MEMORY_BYTES_MAX: usize = TEXT_FIELD_BYTES_MAX as usize;
/// A file is read back in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;

/// A folder for the temporary files of one mock, created with the first of them. It is removed with the last handle on
/// one of its files.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// Parent of the folder. `None`: the system's folder for temporary files.
    parent: Option<PathBuf>,
    folder: OnceLock<Arc<UploadFolder>>,
}

impl Store {
    /// A store whose folder is created in `parent`.
    pub(crate) fn within(parent: PathBuf) -> Self {
        Self { parent: Some(parent), folder: OnceLock::new() }
    }

    fn file(&self) -> io::Result<(NamedTempFile, Arc<UploadFolder>)> {
        let folder = match self.folder.get() {
            Some(folder) => folder.clone(),
            None => {
                let parent = self.parent.clone().unwrap_or_else(std::env::temp_dir);
                let made = Arc::new(UploadFolder::make(&parent)?);
                // If two are created at once, the second is dropped together with its folder.
                self.folder.get_or_init(|| made).clone()
            }
        };
        Ok((NamedTempFile::new_in(folder.path())?, folder))
    }

    /// The folder. `None` before the first file.
    #[cfg(test)]
    pub(super) fn path(&self) -> Option<&std::path::Path> {
        self.folder.get().map(|folder| folder.path())
    }
}

/// Bytes that become a [`Content`].
pub(crate) struct Spool<'s> {
    store: &'s Store,
    length: u64,
    digest: Sha256,
    /// The bytes, while there is no file.
    memory: BytesMut,
    /// The file that has all bytes, with the handles that remove it and its folder.
    file: Option<(File, TempPath, Arc<UploadFolder>)>,
}

impl<'s> Spool<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, length: 0, digest: Sha256::new(), memory: BytesMut::new(), file: None }
    }

    /// Bytes so far.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Appends. The write is synchronous: it goes to the page cache, which is faster than a switch to another thread.
    pub(crate) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.length += piece.len() as u64;
        self.digest.update(piece);
        if self.file.is_none() && self.memory.len() + piece.len() <= MEMORY_BYTES_MAX {
            self.memory.extend_from_slice(piece);
            return Ok(());
        }
        let file = match &mut self.file {
            Some((file, ..)) => file,
            None => {
                let (named, folder) = self.store.file()?;
                let (mut file, path) = named.into_parts();
                file.write_all(&std::mem::take(&mut self.memory))?;
                &mut self.file.insert((file, path, folder)).0
            }
        };
        file.write_all(piece)
    }

    /// The content.
    pub(crate) fn finish(self) -> io::Result<Content> {
        let place = match self.file {
            None => ContentPlace::Memory(self.memory.freeze()),
            Some((mut file, path, folder)) => {
                file.flush()?;
                // The file is removed with the last handle on its content, its folder after the last file.
                ContentPlace::File { path: path.to_path_buf(), keep: Arc::new((path, folder)) }
            }
        };
        Ok(Content { length: self.length, digest: self.digest.finalize().into(), place })
    }
}

/// SHA-256 of a file.
pub(crate) fn digest_of(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut digest) = (File::open(path)?, Sha256::new());
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.finalize().into()),
            read => digest.update(&piece[..read]),
        }
    }
}
