//! Opens the state of a folder. All of it is read and verified before any of it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use sha2::{Digest, Sha256};

use super::commit_count::{self, CommitCount};
use super::committer::StateStore;
use super::documents;
use super::folder::{DurableError, Folder};
use super::read::{self, DatabaseContents};
use super::rows::{self, DataInUse, DatabaseHeader, FORMAT, MAIN};
use super::sandbox_record::SandboxRecord;
use crate::message::content::{Content, ContentPlace};
use crate::state::change::Change;
use crate::state::stored::{self, StoredError};
use crate::world::settings::Settings;

/// The content of a folder: a store for further changes, and the worlds as they were.
pub(crate) struct OpenStore {
    /// Stores further changes.
    pub(crate) durable: StateStore,
    /// The seed of the main world.
    pub(crate) seed: u64,
    /// The seed rows of the main world.
    pub(crate) seed_world: Arc<SeedWorld>,
    /// All changes of the main world, in order.
    pub(crate) changes: Vec<Change>,
    /// The sandboxes, in the order of their creation.
    pub(crate) sandboxes: Vec<StoredSandbox>,
    /// The number of the newest sandbox, including deleted ones.
    pub(crate) made: u64,
    /// The number of earlier starts.
    pub(crate) starts: u64,
}

/// A sandbox that a folder stores.
pub(crate) struct StoredSandbox {
    /// Its settings.
    pub(crate) record: SandboxRecord,
    /// All its changes, in order.
    pub(crate) changes: Vec<Change>,
}

impl StateStore {
    /// Opens the state in a folder. If there is none, creates it with these settings.
    pub(crate) fn open(path: &Path, settings: &Settings) -> Result<OpenStore, DurableError> {
        let folder = Folder::take(path)?;
        match fs::read(folder.database()) {
            Ok(bytes) => again(folder, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => first(folder, settings),
            Err(cause) => Err(DurableError::io(&folder.database())(cause)),
        }
    }
}

/// Creates the state. The database is written under another name and then renamed, so that it is
/// complete or missing.
fn first(folder: Folder, settings: &Settings) -> Result<OpenStore, DurableError> {
    let (path, new_path) = (folder.database(), folder.new_database());
    if !documents::entries(&folder.files())?.is_empty() {
        return Err(DurableError::damaged(
            &path,
            "it is missing, but the folder has documents of it",
        ));
    }
    let _ = fs::remove_file(&new_path);
    let header = DatabaseHeader {
        format: FORMAT,
        seed: settings.seed,
        seed_world: SeedWorld::clone(&settings.seed_world),
        starts: 1,
    };
    let made = rows::create(&new_path, &header);
    drop(made.map_err(|error| DurableError::damaged(&new_path, error))?);
    let commit_count = commit_count(&folder, 1)?;
    fs::rename(&new_path, &path).map_err(DurableError::io(&path))?;
    folder.sync().map_err(DurableError::io(&path))?;
    let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
    Ok(OpenStore {
        durable: StateStore::new(folder, database, commit_count),
        seed: settings.seed,
        seed_world: settings.seed_world.clone(),
        changes: Vec::new(),
        sandboxes: Vec::new(),
        made: 0,
        starts: 0,
    })
}

/// Reads the whole state, then records the start.
fn again(folder: Folder, bytes: &[u8]) -> Result<OpenStore, DurableError> {
    let path = folder.database();
    let damaged = |what: String| DurableError::damaged(&path, what);
    let contents = read::read(bytes).map_err(damaged)?;
    let written = commit_count::read(&folder.commit_count())
        .map_err(|what| DurableError::damaged(&folder.commit_count(), what))?;
    if contents.commits < written {
        return Err(damaged(format!(
            "its last change is {}, but {written} were acknowledged",
            contents.commits
        )));
    }
    let mut in_use = DataInUse::default();
    in_use.worlds.insert(MAIN);
    in_use.worlds.extend(contents.sandboxes.keys());
    in_use.definitions.extend(contents.sandboxes.values().flat_map(|row| row.named()));
    let files = folder.files();
    let mut changes =
        changes(&contents, &in_use.worlds, &files, &mut in_use.documents).map_err(|unread| {
            match unread {
                RowReadError::File(error) => error,
                RowReadError::Row(_) | RowReadError::OtherDocument => {
                    DurableError::damaged(&path, unread)
                }
            }
        })?;
    let sandboxes = contents
        .sandboxes
        .iter()
        .map(|(key, row)| {
            let record = row
                .sandbox(*key, &contents.definitions)
                .map_err(|what| damaged(format!("its sandbox s{key} can't be read: {what}")))?;
            Ok(StoredSandbox { record, changes: changes.remove(key).unwrap_or_default() })
        })
        .collect::<Result<Vec<_>, DurableError>>()?;
    let DatabaseContents { mut header, made, .. } = contents;
    let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
    let starts = header.starts;
    header.starts += 1;
    let commits = rows::start(&database, &header, &in_use)
        .map_err(|error| DurableError::damaged(&path, error))?;
    let commit_count = commit_count(&folder, commits)?;
    documents::sweep(&files, &in_use.documents)?;
    Ok(OpenStore {
        durable: StateStore::new(folder, database, commit_count),
        seed: header.seed,
        seed_world: Arc::new(header.seed_world),
        changes: changes.remove(&MAIN).unwrap_or_default(),
        sandboxes,
        made,
        starts,
    })
}

/// The changes of each of these worlds. Adds the digests of their documents to `named`.
fn changes(
    contents: &DatabaseContents,
    worlds: &BTreeSet<u64>,
    files: &Path,
    named: &mut BTreeSet<[u8; 32]>,
) -> Result<BTreeMap<u64, Vec<Change>>, RowReadError> {
    let mut changes: BTreeMap<u64, Vec<Change>> = BTreeMap::new();
    for (key, value) in &contents.rows {
        let (world, key) = rows::split(key).ok_or_else(|| StoredError::Key(key.clone()))?;
        if !worlds.contains(&world) {
            continue;
        }
        let fill = |content: &mut Content| -> Result<(), RowReadError> {
            // Each stored document has a digest.
            let digest = *content.digest().ok_or(RowReadError::OtherDocument)?;
            named.insert(digest);
            content.place = place(&digest, &contents.documents, files)?;
            Ok(())
        };
        changes.entry(world).or_default().push(stored::change(key, value, fill)?);
    }
    Ok(changes)
}

/// The place of a document's bytes.
fn place(
    digest: &[u8; 32],
    documents: &BTreeMap<Vec<u8>, Bytes>,
    files: &Path,
) -> Result<ContentPlace, RowReadError> {
    match documents.get(&digest[..]) {
        Some(bytes) if Sha256::digest(bytes)[..] == *digest => {
            Ok(ContentPlace::Memory(bytes.clone()))
        }
        Some(_) => Err(RowReadError::OtherDocument),
        None => Ok(documents::found(files, digest)?),
    }
}

fn commit_count(folder: &Folder, commits: u64) -> Result<CommitCount, DurableError> {
    let path = folder.commit_count();
    CommitCount::open(&path, commits).map_err(DurableError::io(&path))
}

/// Why a row can't be read.
#[derive(Debug, thiserror::Error)]
enum RowReadError {
    #[error(transparent)]
    Row(#[from] StoredError),
    #[error(transparent)]
    File(#[from] DurableError),
    #[error("the content of a stored document has changed")]
    OtherDocument,
}
