//! Opening the state of a folder, and keeping what changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use moot_fixtures::world::SeedWorld;
use redb::Database;
use sha2::{Digest, Sha256};

use super::folder::{DurableError, Folder};
use super::rows::{About, FORMAT, Held};
use super::witness::{self, Witness};
use super::{documents, rows};
use crate::call::{Content, ContentPlace};
use crate::changes::Change;
use crate::service::{Keeper, NotKept};
use crate::settings::Settings;
use crate::stored::{self, StoredError};
use crate::world::Noted;

/// The state of one mock; it has its folder to itself.
pub(crate) struct Durable {
    folder: Folder,
    database: Database,
    witness: Witness,
}

/// What a folder said of the world that it is the state of.
pub(crate) struct Opened {
    /// To keep what changes.
    pub(crate) durable: Durable,
    /// The seed that it began with.
    pub(crate) seed: u64,
    /// The rows that it began with.
    pub(crate) seed_world: Arc<SeedWorld>,
    /// Everything that changed since.
    pub(crate) changes: Vec<Change>,
    /// Earlier starts.
    pub(crate) starts: u64,
}

impl Durable {
    /// Opens the state in a folder, or begins one there by `settings`.
    ///
    /// # Errors
    /// [`DurableError`]; a folder that is damaged stays as it is.
    pub(crate) fn open(path: &Path, settings: &Settings) -> Result<Opened, DurableError> {
        let folder = Folder::take(path)?;
        match fs::read(folder.database()) {
            Ok(bytes) => again(folder, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => first(folder, settings),
            Err(cause) => Err(DurableError::io(&folder.database())(cause)),
        }
    }

    /// Where uploads are received, so that they can be kept without being copied.
    pub(crate) fn uploads(&self) -> PathBuf {
        self.folder.uploads()
    }

    /// What keeps every change from now on.
    pub(crate) fn keeper(self) -> Keeper {
        Box::new(move |noted| self.keep(noted))
    }

    /// Files first: no row names one that is not there.
    fn keep(&self, noted: &Noted) -> Result<(), NotKept> {
        let files = self.folder.files();
        for content in noted.changes.iter().flat_map(stored::rows).flat_map(|row| row.contents) {
            if let ContentPlace::File { path, .. } = &content.place {
                documents::keep(&files, &content, path)
                    .map_err(|cause| NotKept(DurableError::io(&files)(cause).to_string()))?;
            }
        }
        let commits = rows::keep(&self.database, noted)
            .map_err(|error| NotKept(format!("{}: {error}", self.folder.database().display())))?;
        self.witness
            .saw(commits)
            .map_err(|cause| NotKept(DurableError::io(&self.folder.witness())(cause).to_string()))
    }
}

/// Begins the state: under its own name it is there whole, or not at all.
fn first(folder: Folder, settings: &Settings) -> Result<Opened, DurableError> {
    let (path, new_path) = (folder.database(), folder.new_database());
    if !documents::entries(&folder.files())?.is_empty() {
        return Err(DurableError::damaged(&path, "it is missing, while documents of it are there"));
    }
    let _ = fs::remove_file(&new_path);
    let about = About {
        format: FORMAT,
        seed: settings.seed,
        seed_world: SeedWorld::clone(&settings.seed_world),
        starts: 1,
    };
    let made = rows::create(&new_path, &about);
    drop(made.map_err(|error| DurableError::damaged(&new_path, error))?);
    let witness = witness(&folder, 1)?;
    fs::rename(&new_path, &path).map_err(DurableError::io(&path))?;
    folder.sync().map_err(DurableError::io(&path))?;
    let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
    Ok(Opened {
        durable: Durable { folder, database, witness },
        seed: settings.seed,
        seed_world: settings.seed_world.clone(),
        changes: Vec::new(),
        starts: 0,
    })
}

/// Reads all of the state before any of it is touched.
fn again(folder: Folder, bytes: &[u8]) -> Result<Opened, DurableError> {
    let path = folder.database();
    let Held { mut about, commits, rows, documents } =
        rows::read(bytes).map_err(|what| DurableError::damaged(&path, what))?;
    let seen = witness::seen(&folder.witness())
        .map_err(|what| DurableError::damaged(&folder.witness(), what))?;
    if commits < seen {
        let what = format!("it ends with change {commits} of {seen}");
        return Err(DurableError::damaged(&path, what));
    }
    let files = folder.files();
    let mut named = BTreeSet::new();
    let mut fill = |content: &mut Content| -> Result<(), Unread> {
        named.insert(content.digest);
        content.place = match documents.get(&content.digest[..]) {
            Some(bytes) if Sha256::digest(bytes)[..] == content.digest => {
                ContentPlace::Memory(bytes.clone())
            }
            Some(_) => return Err(Unread::OtherDocument),
            None => documents::found(&files, content)?,
        };
        Ok(())
    };
    let changes = rows
        .iter()
        .map(|(key, value)| stored::change(key, value, &mut fill))
        .collect::<Result<Vec<_>, Unread>>()
        .map_err(|unread| match unread {
            Unread::File(error) => error,
            Unread::Row(_) | Unread::OtherDocument => DurableError::damaged(&path, unread),
        })?;
    let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
    let starts = about.starts;
    about.starts += 1;
    let commits = rows::start(&database, &about, &named)
        .map_err(|error| DurableError::damaged(&path, error))?;
    let witness = witness(&folder, commits)?;
    documents::sweep(&files, &named)?;
    Ok(Opened {
        durable: Durable { folder, database, witness },
        seed: about.seed,
        seed_world: Arc::new(about.seed_world),
        changes,
        starts,
    })
}

fn witness(folder: &Folder, commits: u64) -> Result<Witness, DurableError> {
    let path = folder.witness();
    Witness::open(&path, commits).map_err(DurableError::io(&path))
}

/// Why a row can't be read back.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    Row(#[from] StoredError),
    #[error(transparent)]
    File(#[from] DurableError),
    #[error("a document in it is not the one that was stored")]
    OtherDocument,
}
