//! The folder of a mock's state: who may use it, and what is where.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Why state in a folder can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DurableError {
    /// The file system refused.
    #[error("`{}` can't be used: {cause}", path.display())]
    Io {
        /// What it refused.
        path: PathBuf,
        /// And why.
        cause: io::Error,
    },
    /// Another process has it.
    #[error("`{}` is in use by another mock: stop that one, or name another folder", .0.display())]
    Taken(PathBuf),
    /// It is not what was written.
    #[error("`{}` is damaged: {what}; put a copy of the whole folder back, or name a new folder", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl DurableError {
    /// An error of the file system at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |cause| Self::Io { path: path.to_owned(), cause }
    }

    /// Damage of the file at `path`.
    pub(super) fn damaged(path: &Path, what: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.to_string() }
    }
}

/// Whether a folder holds the state of a mock, whose seed and world are those of its next one too.
pub fn holds_state(folder: &Path) -> bool {
    database(folder).is_file()
}

fn database(folder: &Path) -> PathBuf {
    folder.join("state.redb")
}

/// A folder that this process alone uses, until this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Takes the folder, made where it is not there yet.
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
        // What was being received when the process ended was never acknowledged.
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

    /// The database while it is made.
    pub(super) fn new_database(&self) -> PathBuf {
        self.path.join("state.redb.new")
    }

    /// The number of the newest commit.
    pub(super) fn witness(&self) -> PathBuf {
        self.path.join("commits")
    }

    /// Documents that are too large for the database.
    pub(super) fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// What is being received. Beside [`Self::files`], so that a file moves by a link.
    pub(super) fn uploads(&self) -> PathBuf {
        self.path.join("uploads")
    }

    /// Makes the entries of the folder itself durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        sync(&self.path)
    }
}

/// Makes the entries of a folder durable.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
