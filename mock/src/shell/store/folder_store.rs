//! The store in a folder: a redb database with the rows and small documents, and files for large ones.

use std::error::Error;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use redb::Database;

use super::commit_count;
use super::documents;
use super::error::DurableError;
use super::row_store::{RowStore, StoredData};
use super::rows;
use super::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;

/// The file of the database.
const DATABASE: &str = "state.redb";
/// The file that the process locks.
const LOCK: &str = "lock";

/// Whether a folder holds the state of a mock. The next start then uses the stored seed and seed world.
pub fn holds_state(folder: &Path) -> bool {
    folder.join(DATABASE).is_file()
}

/// A folder that only this process uses. Dropping the value releases it.
pub(crate) struct FolderStore {
    path: PathBuf,
    _lock: File,
    /// `None` before the first commit and after a failed one. After a failure redb must be opened again.
    database: Mutex<Option<Database>>,
}

impl FolderStore {
    /// Locks the folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`DurableError::Taken`], [`DurableError::NotOurs`] and [`DurableError::Io`].
    pub(crate) fn take(path: &Path) -> Result<Self, DurableError> {
        fs::create_dir_all(path).map_err(DurableError::io(path))?;
        let lock_path = path.join(LOCK);
        let lock = File::options().write(true).create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(DurableError::io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DurableError::Taken(path.to_owned())),
            Err(TryLockError::Error(cause)) => return Err(DurableError::io(&lock_path)(cause)),
        }
        let store = Self { path: path.to_owned(), _lock: lock, database: Mutex::default() };
        if let Some(path) = store.file_of_others() {
            return Err(DurableError::NotOurs(path));
        }
        // Incomplete uploads of an earlier process were never acknowledged.
        let uploads = store.uploads();
        if uploads.exists() {
            fs::remove_dir_all(&uploads).map_err(DurableError::io(&uploads))?;
        }
        for folder in [uploads, store.files()] {
            fs::create_dir_all(&folder).map_err(DurableError::io(&folder))?;
        }
        Ok(store)
    }

    /// A file that this store would replace or remove, although no mock wrote it. A mock leaves no content in these
    /// files before it has a database or a number of commits.
    fn file_of_others(&self) -> Option<PathBuf> {
        if holds_state(&self.path) || commit_count::read(&self.commit_count()).is_ok() {
            return None;
        }
        let has_content = |path: &PathBuf| match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_some(),
            Err(_) => path.metadata().is_ok_and(|file| file.len() > 0),
        };
        [self.path.join(LOCK), self.uploads(), self.commit_count()].into_iter().find(has_content)
    }

    /// Documents that are too large for the database.
    fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    fn commit_count(&self) -> PathBuf {
        self.path.join("commits")
    }

    /// Commits a batch to the database, which is opened first if `open` is `None`.
    fn write(&self, open: Option<Database>, batch: &KeyBatch) -> Result<Database, Box<dyn Error>> {
        let (path, new_path) = (self.path.join(DATABASE), self.path.join("state.redb.new"));
        if path.exists() || !batch.values.contains_key(&StoreKey::Header) {
            let database = open.map_or_else(|| Database::open(&path), Ok)?;
            let commits = rows::commit(&database, batch)?;
            commit_count::write(&self.commit_count(), commits)?;
            return Ok(database);
        }
        // A new database is created under another name and then renamed, so that it is complete or missing.
        let _ = fs::remove_file(&new_path);
        rows::commit(&Database::create(&new_path)?, batch)?;
        commit_count::write(&self.commit_count(), 1)?;
        fs::rename(&new_path, &path)?;
        documents::sync(&self.path)?;
        Ok(Database::open(&path)?)
    }
}

impl RowStore for FolderStore {
    fn read(&self) -> Result<Option<StoredData>, DurableError> {
        let path = self.path.join(DATABASE);
        let damaged = |damage: String| DurableError::damaged(&path, damage);
        let files = documents::digests(&self.files())?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && files.is_empty() => {
                return Ok(None);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let damage = "it is missing, but the folder has documents of it";
                return Err(damaged(damage.to_owned()));
            }
            Err(cause) => return Err(DurableError::io(&path)(cause)),
        };
        let (mut stored, commits) = rows::read(&bytes).map_err(damaged)?;
        let written = commit_count::read(&self.commit_count())
            .map_err(|damage| DurableError::damaged(&self.commit_count(), damage))?;
        if commits < written {
            return Err(damaged(format!(
                "its last change is {commits}, but {written} were acknowledged"
            )));
        }
        for digest in files {
            stored.documents.entry(digest).or_insert(None);
        }
        Ok(Some(stored))
    }

    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        documents::place_of(&self.files(), digest)
    }

    /// Writes files first, because a row must not refer to a missing file. After a failure, such as a full disk,
    /// the next call opens the database again.
    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError> {
        let files = self.files();
        for content in batch.documents.values() {
            if let ContentPlace::File { path, .. } = &content.place {
                documents::keep(&files, content, path).map_err(DurableError::io(&files))?;
            }
        }
        let mut slot = self.database.lock();
        let written = self.write(slot.take(), batch);
        *slot = Some(written.map_err(|error| {
            DurableError::io(&self.path.join(DATABASE))(io::Error::other(error.to_string()))
        })?);
        documents::remove(&files, &batch.unused_documents)
    }

    fn uploads(&self) -> PathBuf {
        self.path.join("uploads")
    }

    fn damaged(&self, damage: String) -> DurableError {
        DurableError::damaged(&self.path.join(DATABASE), damage)
    }
}
