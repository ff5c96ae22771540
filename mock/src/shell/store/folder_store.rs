//! The store in a folder: a redb database with the rows and small documents, and files for large ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use redb::Database;

use super::commit_count::{self, CommitCount};
use super::documents;
use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::error::DurableError;
use super::folder::Folder;
use super::read;
use super::row_store::RowStore;
use super::rows;
use crate::service::NotKept;
use crate::value::message::content::ContentPlace;

/// A folder that only this process uses.
pub(super) struct FolderStore {
    folder: Folder,
    /// `None` before the start, and after a failed commit: redb takes nothing more until it is opened
    /// again.
    database: Mutex<Option<Database>>,
    /// `None` before the start.
    commit_count: Mutex<Option<CommitCount>>,
}

impl FolderStore {
    /// Locks the folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`DurableError::Taken`] and [`DurableError::Io`].
    pub(super) fn take(path: &Path) -> Result<Self, DurableError> {
        let folder = Folder::take(path)?;
        Ok(Self { folder, database: Mutex::new(None), commit_count: Mutex::new(None) })
    }

    /// Creates the database under another name and then renames it, so that it is complete or missing.
    fn create(&self, header: &StoreHeader) -> Result<(), DurableError> {
        let (path, new_path) = (self.folder.database(), self.folder.new_database());
        let _ = fs::remove_file(&new_path);
        let made = rows::create(&new_path, header);
        drop(made.map_err(|error| DurableError::damaged(&new_path, error))?);
        self.open_commit_count(1)?;
        fs::rename(&new_path, &path).map_err(DurableError::io(&path))?;
        self.folder.sync().map_err(DurableError::io(&path))?;
        let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
        *self.database.lock() = Some(database);
        Ok(())
    }

    fn open_commit_count(&self, commits: u64) -> Result<(), DurableError> {
        let path = self.folder.commit_count();
        let opened = CommitCount::open(&path, commits).map_err(DurableError::io(&path))?;
        *self.commit_count.lock() = Some(opened);
        Ok(())
    }

    /// Commits entries. After a failure, such as a full disk, the next call opens the database again.
    fn commit(&self, entries: &[Entry]) -> Result<u64, NotKept> {
        let path = self.folder.database();
        let not_kept = |error| NotKept(format!("{}: {error}", path.display()));
        let mut open = self.database.lock();
        let database = match open.take() {
            Some(database) => database,
            None => rows::open(&path).map_err(not_kept)?,
        };
        let commits = rows::keep(&database, entries).map_err(not_kept)?;
        *open = Some(database);
        Ok(commits)
    }
}

impl RowStore for FolderStore {
    fn read(&self) -> Result<Option<StoreContents>, DurableError> {
        let path = self.folder.database();
        let damaged = |what: String| DurableError::damaged(&path, what);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !documents::entries(&self.folder.files())?.is_empty() {
                    return Err(damaged(
                        "it is missing, but the folder has documents of it".to_owned(),
                    ));
                }
                return Ok(None);
            }
            Err(cause) => return Err(DurableError::io(&path)(cause)),
        };
        let (contents, commits) = read::read(&bytes).map_err(damaged)?;
        let written = commit_count::read(&self.folder.commit_count())
            .map_err(|what| DurableError::damaged(&self.folder.commit_count(), what))?;
        if commits < written {
            return Err(damaged(format!(
                "its last change is {commits}, but {written} were acknowledged"
            )));
        }
        Ok(Some(contents))
    }

    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        documents::found(&self.folder.files(), digest)
    }

    fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> Result<(), DurableError> {
        let path = self.folder.database();
        if !path.exists() {
            return self.create(header);
        }
        let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
        let commits = rows::start(&database, header, in_use)
            .map_err(|error| DurableError::damaged(&path, error))?;
        *self.database.lock() = Some(database);
        self.open_commit_count(commits)?;
        documents::sweep(&self.folder.files(), &in_use.documents)
    }

    /// Writes files first: a row must not name a file that does not exist.
    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept> {
        let files = self.folder.files();
        for content in entries.iter().flat_map(Entry::contents) {
            if let ContentPlace::File { path, .. } = &content.place {
                documents::keep(&files, content, path)
                    .map_err(|cause| NotKept(DurableError::io(&files)(cause).to_string()))?;
            }
        }
        let commits = self.commit(entries)?;
        let counted = self.commit_count.lock().as_ref().map_or(Ok(()), |it| it.write(commits));
        counted.map_err(|cause| {
            NotKept(DurableError::io(&self.folder.commit_count())(cause).to_string())
        })
    }

    fn uploads(&self) -> PathBuf {
        self.folder.uploads()
    }

    fn damaged(&self, what: String) -> DurableError {
        DurableError::damaged(&self.folder.database(), what)
    }
}
