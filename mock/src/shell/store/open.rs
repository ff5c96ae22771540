//! Opens a store. All data are read and verified before any are changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::MAIN;
use super::committer::StateStore;
use super::error::DurableError;
use super::header::StoreHeader;
use super::row_store::{RowStore, StoredData};
use super::sandbox_record::SandboxRecord;
use super::table::{KeyBatch, KeyTable, StoreKey};
use crate::value::message::content::{Content, ContentPlace};
use crate::value::message::json::json_bytes;
use crate::world::settings::Settings;
use crate::world::state::change::Change;
use crate::world::state::stored_rows;

/// An open store, with the worlds as they were stored.
pub(crate) struct OpenStore {
    /// Stores further changes.
    pub(crate) durable: Arc<StateStore>,
    /// The seed and the seed world of the main world, and the number of earlier starts.
    pub(crate) header: StoreHeader,
    /// All changes of the main world, in order.
    pub(crate) changes: Vec<Change>,
    /// The sandboxes in the order of their creation, with all their changes.
    pub(crate) sandboxes: Vec<(SandboxRecord, Vec<Change>)>,
}

/// Opens a store. If it has no data, creates them with these settings. Otherwise reads all data, then records the
/// start and removes unused keys and documents.
pub(crate) fn open(
    store: Arc<dyn RowStore>,
    settings: &Settings,
) -> Result<OpenStore, DurableError> {
    let StoredData { header, values, documents } = match store.read()? {
        Some(stored) => stored,
        None => StoredData {
            header: StoreHeader::new(settings),
            values: BTreeMap::new(),
            documents: BTreeMap::new(),
        },
    };
    let damaged = |part: &str, error: &dyn Display| store.damaged(format!("{part}: {error}"));
    let mut newest_sandbox = 0;
    let mut sandboxes = Vec::new();
    let mut changes = BTreeMap::from([(MAIN, Vec::new())]);
    let mut used_documents = BTreeSet::new();
    for (key, value) in &values {
        match key {
            StoreKey::Header => {}
            StoreKey::NewestSandbox => {
                newest_sandbox = serde_json::from_slice(value)
                    .map_err(|error| damaged("its number of sandboxes cannot be read", &error))?;
            }
            StoreKey::Sandbox(world) => {
                let mut sandbox: SandboxRecord =
                    serde_json::from_slice(value).map_err(|error| {
                        damaged(&format!("its sandbox s{world} cannot be read"), &error)
                    })?;
                let seed = &mut sandbox.seed;
                find(seed, &documents, &*store, &mut used_documents)?;
                sandboxes.push(sandbox);
                changes.insert(*world, Vec::new());
            }
            // A deleted sandbox may have rows, because a call may have been running during its deletion.
            StoreKey::Row(world, key) => {
                if let Some(changes) = changes.get_mut(world) {
                    changes.push(change(key, value, &documents, &*store, &mut used_documents)?);
                }
            }
        }
    }
    let mut table = KeyTable {
        keys: values.into_keys().collect(),
        newest_sandbox,
        documents: documents.into_keys().collect(),
    };
    let mut batch = KeyBatch::default();
    let is_unused =
        |key: &&StoreKey| matches!(key, StoreKey::Row(world, _) if !changes.contains_key(world));
    let unused = table.keys.iter().filter(is_unused);
    batch.values.extend(unused.map(|key| (key.clone(), None)));
    batch.values.insert(StoreKey::Header, Some(json_bytes(&header.for_next_start())));
    batch.unused_documents = table.documents.difference(&used_documents).copied().collect();
    let batch = Arc::new(batch);
    store.commit(&batch)?;
    table.apply(&batch);
    let mut changes_of = |world: u64| changes.remove(&world).unwrap_or_default();
    let with_changes = |sandbox: SandboxRecord| {
        let changes = changes_of(sandbox.key);
        (sandbox, changes)
    };
    let sandboxes = sandboxes.into_iter().map(with_changes).collect();
    Ok(OpenStore {
        changes: changes_of(MAIN),
        sandboxes,
        durable: Arc::new(StateStore::new(store, table)),
        header,
    })
}

/// The change of a row, with the bytes of its documents.
fn change(
    key: &str,
    value: &[u8],
    documents: &BTreeMap<[u8; 32], Option<Bytes>>,
    store: &dyn RowStore,
    used_documents: &mut BTreeSet<[u8; 32]>,
) -> Result<Change, DurableError> {
    let mut change = stored_rows::change(value)
        .map_err(|error| store.damaged(format!("the row `{key}` cannot be read: {error}")))?;
    for content in change.contents_mut() {
        find(content, documents, store, used_documents)?;
    }
    Ok(change)
}

/// Finds the bytes of a document. Adds its digest to `used_documents`.
fn find(
    content: &mut Content,
    documents: &BTreeMap<[u8; 32], Option<Bytes>>,
    store: &dyn RowStore,
    used_documents: &mut BTreeSet<[u8; 32]>,
) -> Result<(), DurableError> {
    let changed = || store.damaged("the content of a stored document has changed".to_owned());
    content.place = match documents.get(&content.digest) {
        Some(Some(bytes)) if Sha256::digest(bytes)[..] == content.digest[..] => {
            ContentPlace::Memory(bytes.clone())
        }
        Some(Some(_)) => return Err(changed()),
        Some(None) | None => store.document(&content.digest)?,
    };
    used_documents.insert(content.digest);
    Ok(())
}
