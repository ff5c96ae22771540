//! Opens a store. All of it is read and verified before any of it is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use sha2::{Digest, Sha256};

use super::committer::StateStore;
use super::entry::{DataInUse, MAIN, StoreContents, StoreHeader};
use super::error::DurableError;
use super::folder_store::FolderStore;
use super::row_store::RowStore;
use super::sandbox_record::SandboxRecord;
use crate::value::message::content::{Content, ContentPlace};
use crate::world::settings::Settings;
use crate::world::state::change::Change;
use crate::world::state::stored::{self, StoredError};

/// The content of a store: the store for further changes, and the worlds as they were.
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

/// A stored sandbox.
pub(crate) struct StoredSandbox {
    /// Its settings.
    pub(crate) record: SandboxRecord,
    /// All its changes, in order.
    pub(crate) changes: Vec<Change>,
}

/// Opens the state in a folder. If there is none, creates it with these settings.
pub(crate) fn open_folder(path: &Path, settings: &Settings) -> Result<OpenStore, DurableError> {
    open(Arc::new(FolderStore::take(path)?), settings)
}

/// Opens the state in a database.
#[cfg(feature = "postgres")]
pub(crate) fn open_database(
    store: Arc<super::postgres_store::PostgresStore>,
    settings: &Settings,
) -> Result<OpenStore, DurableError> {
    open(store, settings)
}

/// Opens a store. If it has no data, creates them with these settings. Otherwise reads everything, and
/// then records the start.
pub(super) fn open(
    store: Arc<dyn RowStore>,
    settings: &Settings,
) -> Result<OpenStore, DurableError> {
    let Some(contents) = store.read()? else {
        store.start(&StoreHeader::new(settings, 1), &DataInUse::default())?;
        return Ok(OpenStore {
            durable: StateStore::new(store),
            seed: settings.seed,
            seed_world: settings.seed_world.clone(),
            changes: Vec::new(),
            sandboxes: Vec::new(),
            made: 0,
            starts: 0,
        });
    };
    let mut in_use = DataInUse::default();
    in_use.worlds.insert(MAIN);
    in_use.worlds.extend(contents.sandboxes.keys());
    in_use.definitions.extend(contents.sandboxes.values().flat_map(|row| row.named()));
    let mut changes =
        changes(&contents, &in_use.worlds, &*store, &mut in_use.documents).map_err(|unread| {
            match unread {
                RowReadError::File(error) => error,
                RowReadError::Row(_) | RowReadError::OtherDocument => {
                    store.damaged(unread.to_string())
                }
            }
        })?;
    let sandboxes = contents
        .sandboxes
        .iter()
        .map(|(key, row)| {
            let record = row.sandbox(*key, &contents.definitions).map_err(|what| {
                store.damaged(format!("its sandbox s{key} can't be read: {what}"))
            })?;
            Ok(StoredSandbox { record, changes: changes.remove(key).unwrap_or_default() })
        })
        .collect::<Result<Vec<_>, DurableError>>()?;
    let StoreContents { header, made, .. } = contents;
    let starts = header.starts;
    let header = header.started_again();
    store.start(&header, &in_use)?;
    Ok(OpenStore {
        durable: StateStore::new(store),
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
    contents: &StoreContents,
    worlds: &BTreeSet<u64>,
    store: &dyn RowStore,
    named: &mut BTreeSet<[u8; 32]>,
) -> Result<BTreeMap<u64, Vec<Change>>, RowReadError> {
    let mut changes: BTreeMap<u64, Vec<Change>> = BTreeMap::new();
    for ((world, key), value) in &contents.rows {
        if !worlds.contains(world) {
            continue;
        }
        let fill = |content: &mut Content| -> Result<(), RowReadError> {
            // Each stored document has a digest.
            let digest = *content.digest().ok_or(RowReadError::OtherDocument)?;
            named.insert(digest);
            content.place = place(&digest, &contents.documents, store)?;
            Ok(())
        };
        changes.entry(*world).or_default().push(stored::change(key, value, fill)?);
    }
    Ok(changes)
}

/// The place of a document's bytes.
fn place(
    digest: &[u8; 32],
    documents: &BTreeMap<[u8; 32], Bytes>,
    store: &dyn RowStore,
) -> Result<ContentPlace, RowReadError> {
    match documents.get(digest) {
        Some(bytes) if Sha256::digest(bytes)[..] == *digest => {
            Ok(ContentPlace::Memory(bytes.clone()))
        }
        Some(_) => Err(RowReadError::OtherDocument),
        None => Ok(store.document(digest)?),
    }
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
