//! The errors of stored state.

use std::io;
use std::path::{Path, PathBuf};

/// Stored state can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DurableError {
    /// The file system refused an access.
    #[error("`{}` cannot be used: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        cause: io::Error,
    },
    /// Another process uses the folder.
    #[error("`{}` is in use by another mock: stop that mock, or use another folder", .0.display())]
    Taken(PathBuf),
    /// The folder has a file of somebody else where the mock would write.
    #[error("`{}` was not written by a mock, and would be lost: name a new folder", .0.display())]
    NotOurs(PathBuf),
    /// The database can't be used.
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] crate::shell::postgres::PostgresError),
    /// The data in a database are damaged, or have another format.
    #[cfg(feature = "postgres")]
    #[error(
        "the data in {address} cannot be used: {damage}; restore a backup, or use another database"
    )]
    DatabaseDamaged {
        /// The address, without secrets.
        address: String,
        /// The damage, or the other format.
        damage: String,
    },
    /// A file is damaged, or has another format.
    #[error("`{}` cannot be used: {damage}; restore a copy of the whole folder, or use a new folder", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage, or the other format.
        damage: String,
    },
}

impl DurableError {
    /// An error of the file system at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |cause| Self::Io { path: path.to_owned(), cause }
    }

    /// Damage of the file at `path`.
    pub(super) fn damaged(path: &Path, damage: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), damage: damage.to_string() }
    }
}
