//! The folder of a mock's state: its lock and its files.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::DurableError;

/// Whether a folder holds the state of a mock. Its next start then uses the stored seed and world.
pub fn holds_state(folder: &Path) -> bool {
    database(folder).is_file()
}

fn database(folder: &Path) -> PathBuf {
    folder.join("state.redb")
}

/// A folder that only this process uses. Dropping the value releases it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Locks the folder, and creates it if necessary.
    ///
    /// # Errors
    /// [`DurableError::Taken`] and [`DurableError::Io`].
    pub(super) fn take(path: &Path) -> Result<Self, DurableError> {
        fs::create_dir_all(path).map_err(DurableError::io(path))?;
        let lock_path = path.join("lock");
        let lock = File::create(&lock_path).map_err(DurableError::io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DurableError::Taken(path.to_owned())),
            Err(TryLockError::Error(cause)) => return Err(DurableError::io(&lock_path)(cause)),
        }
        let folder = Self { path: path.to_owned(), _lock: lock };
        // Uploads that were not complete when the process ended were never acknowledged.
        let uploads = folder.uploads();
        if uploads.exists() {
            fs::remove_dir_all(&uploads).map_err(DurableError::io(&uploads))?;
        }
        for made in [uploads, folder.files()] {
            fs::create_dir_all(&made).map_err(DurableError::io(&made))?;
        }
        Ok(folder)
    }

    /// The database.
    pub(super) fn database(&self) -> PathBuf {
        database(&self.path)
    }

    /// The database while it is created.
    pub(super) fn new_database(&self) -> PathBuf {
        self.path.join("state.redb.new")
    }

    /// The number of commits.
    pub(super) fn commit_count(&self) -> PathBuf {
        self.path.join("commits")
    }

    /// Documents that are too large for the database.
    pub(super) fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// Uploads that are being received. The folder is on the same file system as [`Self::files`], so a
    /// file moves by a link.
    pub(super) fn uploads(&self) -> PathBuf {
        self.path.join("uploads")
    }

    /// Syncs the entries of this folder to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        sync(&self.path)
    }
}

/// Syncs the entries of a folder to the disk.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
