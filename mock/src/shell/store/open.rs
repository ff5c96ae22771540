//! Opening the state of a folder: all of it is read and verified before any of it is touched.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use sha2::{Digest, Sha256};

use super::committer::StateStore;
use super::documents;
use super::folder::{DurableError, Folder};
use super::held::{self, DatabaseContents};
use super::rows::{self, About, FORMAT, Live, MAIN};
use super::sandbox_record::SandboxRecord;
use super::witness::{self, Witness};
use crate::message::content::{Content, ContentPlace};
use crate::state::change::Change;
use crate::state::stored::{self, StoredError};
use crate::world::settings::Settings;

/// What a folder said of the worlds that it is the state of.
pub(crate) struct OpenStore {
    /// To keep what changes.
    pub(crate) durable: StateStore,
    /// The seed that the main world began with.
    pub(crate) seed: u64,
    /// The rows that it began with.
    pub(crate) seed_world: Arc<SeedWorld>,
    /// Everything that changed in it since.
    pub(crate) changes: Vec<Change>,
    /// In the order made.
    pub(crate) sandboxes: Vec<StoredSandbox>,
    /// The number of the newest sandbox that there ever was.
    pub(crate) made: u64,
    /// Earlier starts.
    pub(crate) starts: u64,
}

/// A sandbox that a folder holds.
pub(crate) struct StoredSandbox {
    /// What it was made with.
    pub(crate) kept: SandboxRecord,
    /// Everything that changed since.
    pub(crate) changes: Vec<Change>,
}

impl StateStore {
    /// Opens the state in a folder, or begins one there by `settings`.
    ///
    /// # Errors
    /// [`DurableError`]; a folder that is damaged stays as it is.
    pub(crate) fn open(path: &Path, settings: &Settings) -> Result<OpenStore, DurableError> {
        let folder = Folder::take(path)?;
        match fs::read(folder.database()) {
            Ok(bytes) => again(folder, &bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => first(folder, settings),
            Err(cause) => Err(DurableError::io(&folder.database())(cause)),
        }
    }
}

/// Begins the state: under its own name it is there whole, or not at all.
fn first(folder: Folder, settings: &Settings) -> Result<OpenStore, DurableError> {
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
    Ok(OpenStore {
        durable: StateStore::new(folder, database, witness),
        seed: settings.seed,
        seed_world: settings.seed_world.clone(),
        changes: Vec::new(),
        sandboxes: Vec::new(),
        made: 0,
        starts: 0,
    })
}

/// Reads all of the state, then notes one more start.
fn again(folder: Folder, bytes: &[u8]) -> Result<OpenStore, DurableError> {
    let path = folder.database();
    let damaged = |what: String| DurableError::damaged(&path, what);
    let held = held::read(bytes).map_err(damaged)?;
    let seen = witness::seen(&folder.witness())
        .map_err(|what| DurableError::damaged(&folder.witness(), what))?;
    if held.commits < seen {
        return Err(damaged(format!("it ends with change {} of {seen}", held.commits)));
    }
    let mut live = Live::default();
    live.worlds.insert(MAIN);
    live.worlds.extend(held.sandboxes.keys());
    live.definitions.extend(held.sandboxes.values().flat_map(|row| row.named()));
    let files = folder.files();
    let mut changes = changes(&held, &live.worlds, &files, &mut live.documents).map_err(
        |unread| match unread {
            Unread::File(error) => error,
            Unread::Row(_) | Unread::OtherDocument => DurableError::damaged(&path, unread),
        },
    )?;
    let sandboxes = held
        .sandboxes
        .iter()
        .map(|(key, row)| {
            let kept = row
                .sandbox(*key, &held.definitions)
                .map_err(|what| damaged(format!("its sandbox s{key} can't be read: {what}")))?;
            Ok(StoredSandbox { kept, changes: changes.remove(key).unwrap_or_default() })
        })
        .collect::<Result<Vec<_>, DurableError>>()?;
    let DatabaseContents { mut about, made, .. } = held;
    let database = rows::open(&path).map_err(|error| DurableError::damaged(&path, error))?;
    let starts = about.starts;
    about.starts += 1;
    let commits = rows::start(&database, &about, &live)
        .map_err(|error| DurableError::damaged(&path, error))?;
    let witness = witness(&folder, commits)?;
    documents::sweep(&files, &live.documents)?;
    Ok(OpenStore {
        durable: StateStore::new(folder, database, witness),
        seed: about.seed,
        seed_world: Arc::new(about.seed_world),
        changes: changes.remove(&MAIN).unwrap_or_default(),
        sandboxes,
        made,
        starts,
    })
}

/// What changed in each of these worlds; the documents that this names are added to `named`.
fn changes(
    held: &DatabaseContents,
    worlds: &BTreeSet<u64>,
    files: &Path,
    named: &mut BTreeSet<[u8; 32]>,
) -> Result<BTreeMap<u64, Vec<Change>>, Unread> {
    let mut changes: BTreeMap<u64, Vec<Change>> = BTreeMap::new();
    for (key, value) in &held.rows {
        let (world, key) = rows::split(key).ok_or_else(|| StoredError::Key(key.clone()))?;
        if !worlds.contains(&world) {
            continue;
        }
        let fill = |content: &mut Content| -> Result<(), Unread> {
            // A store keeps it of every document.
            let digest = *content.digest().ok_or(Unread::OtherDocument)?;
            named.insert(digest);
            content.place = place(&digest, &held.documents, files)?;
            Ok(())
        };
        changes.entry(world).or_default().push(stored::change(key, value, fill)?);
    }
    Ok(changes)
}

/// Where the bytes of a document are.
fn place(
    digest: &[u8; 32],
    documents: &BTreeMap<Vec<u8>, Bytes>,
    files: &Path,
) -> Result<ContentPlace, Unread> {
    match documents.get(&digest[..]) {
        Some(bytes) if Sha256::digest(bytes)[..] == *digest => {
            Ok(ContentPlace::Memory(bytes.clone()))
        }
        Some(_) => Err(Unread::OtherDocument),
        None => Ok(documents::found(files, digest)?),
    }
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
