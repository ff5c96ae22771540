//! The store in a folder: a redb database with the rows and small documents, and files for large ones.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use redb::Database;

use super::commit_count;
use super::documents;
use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::error::DurableError;
use super::folder::Folder;
use super::read;
use super::row_store::RowStore;
use super::rows;
use super::table::{KeyBatch, KeyTable};
use crate::service::NotKept;
use crate::value::message::content::ContentPlace;

/// A folder that only this process uses.
pub(super) struct FolderStore {
    folder: Folder,
    writer: Mutex<FolderWriter>,
}

#[derive(Default)]
struct FolderWriter {
    /// `None` before the start, and after a failed commit: redb takes nothing more until it is opened
    /// again.
    database: Option<Database>,
    table: KeyTable,
}

impl FolderStore {
    /// Locks the folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`DurableError::Taken`] and [`DurableError::Io`].
    pub(super) fn take(path: &Path) -> Result<Self, DurableError> {
        Ok(Self { folder: Folder::take(path)?, writer: Mutex::default() })
    }

    /// A new database with its first commit. It is made under another name and then renamed, so that it is
    /// complete or missing.
    fn create(&self, first: &KeyBatch) -> Result<Database, DurableError> {
        let (path, new_path) = (self.folder.database(), self.folder.new_database());
        let _ = fs::remove_file(&new_path);
        let damaged = |error| DurableError::damaged(&new_path, error);
        let made = Database::create(&new_path).map_err(|error| damaged(error.into()))?;
        rows::commit(&made, first).map_err(damaged)?;
        drop(made);
        self.count_commits(1)?;
        fs::rename(&new_path, &path).map_err(DurableError::io(&path))?;
        self.folder.sync().map_err(DurableError::io(&path))?;
        rows::open(&path).map_err(|error| DurableError::damaged(&path, error))
    }

    fn count_commits(&self, commits: u64) -> Result<(), DurableError> {
        let path = self.folder.commit_count();
        commit_count::write(&path, commits).map_err(DurableError::io(&path))
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
        let (contents, table, commits) = read::read(&bytes).map_err(damaged)?;
        let written = commit_count::read(&self.folder.commit_count())
            .map_err(|what| DurableError::damaged(&self.folder.commit_count(), what))?;
        if commits < written {
            return Err(damaged(format!(
                "its last change is {commits}, but {written} were acknowledged"
            )));
        }
        self.writer.lock().table = table;
        Ok(Some(contents))
    }

    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        documents::found(&self.folder.files(), digest)
    }

    fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> Result<(), DurableError> {
        let path = self.folder.database();
        let writer = &mut *self.writer.lock();
        let batch = writer.table.start(header, in_use);
        let database = if path.exists() {
            let damaged = |error| DurableError::damaged(&path, error);
            let database = rows::open(&path).map_err(damaged)?;
            let commits = rows::commit(&database, &batch).map_err(damaged)?;
            self.count_commits(commits)?;
            database
        } else {
            self.create(&batch)?
        };
        writer.database = Some(database);
        writer.table.apply(batch);
        documents::sweep(&self.folder.files(), &in_use.documents)
    }

    /// Writes files first: a row must not name a file that does not exist. After a failure, such as a full disk,
    /// the next call opens the database again.
    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept> {
        let writer = &mut *self.writer.lock();
        let batch = writer.table.batch(entries);
        let files = self.folder.files();
        for content in batch.documents.values() {
            if let ContentPlace::File { path, .. } = &content.place {
                documents::keep(&files, content, path)
                    .map_err(|cause| NotKept(DurableError::io(&files)(cause).to_string()))?;
            }
        }
        let path = self.folder.database();
        let not_kept = |error| NotKept(format!("{}: {error}", path.display()));
        let database = match writer.database.take() {
            Some(database) => database,
            None => rows::open(&path).map_err(not_kept)?,
        };
        let commits = rows::commit(&database, &batch).map_err(not_kept)?;
        writer.database = Some(database);
        writer.table.apply(batch);
        self.count_commits(commits).map_err(|error| NotKept(error.to_string()))
    }

    fn uploads(&self) -> PathBuf {
        self.folder.uploads()
    }

    fn damaged(&self, what: String) -> DurableError {
        DurableError::damaged(&self.folder.database(), what)
    }
}
