//! What a commit changes, as single keys and values.
//!
//! The table knows the keys that the store has. So a reset of a world, or its end, becomes a list of keys
//! to delete.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::sandbox_row::Definitions;
use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::world::state::stored;

/// The key of a stored value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoreKey {
    Header,
    /// The number of the newest sandbox.
    Made,
    /// A seed world or answers of sandboxes, by their digest.
    Definition([u8; 32]),
    Sandbox(u64),
    /// A row of a world, by the key of [`crate::world::state::stored`].
    Row(u64, String),
}

/// The keys and the documents that a store has.
#[derive(Debug, Default, Clone)]
pub(super) struct KeyTable {
    keys: BTreeSet<StoreKey>,
    made: u64,
    pub(super) documents: BTreeSet<[u8; 32]>,
}

/// What one commit changes.
#[derive(Debug, Default)]
pub(super) struct KeyBatch {
    /// New values; `None` deletes the key.
    pub(super) values: BTreeMap<StoreKey, Option<Vec<u8>>>,
    /// Documents that the store does not have yet.
    pub(super) documents: BTreeMap<[u8; 32], Content>,
    /// Documents that the store need not have any more.
    pub(super) unused_documents: Vec<[u8; 32]>,
    /// The number of the newest sandbox.
    pub(super) made: u64,
}

impl KeyTable {
    /// What these entries change, in this order.
    pub(super) fn batch(&self, entries: &[Entry]) -> KeyBatch {
        let mut batch = KeyBatch { made: self.made, ..KeyBatch::default() };
        for entry in entries {
            for content in entry.contents() {
                if let Some(digest) = content.digest().filter(|it| !self.documents.contains(*it)) {
                    batch.documents.entry(*digest).or_insert_with(|| content.clone());
                }
            }
            match entry {
                Entry::Changes { world, is_reset, rows } => {
                    if *is_reset {
                        self.delete_rows(&mut batch, *world, stored::survives_reset);
                    }
                    for row in rows {
                        let key = StoreKey::Row(*world, row.key.clone());
                        batch.values.insert(key, row.value.clone());
                    }
                }
                Entry::Sandbox { world, row, definitions } => {
                    for (digest, json) in definitions {
                        let key = StoreKey::Definition(*digest);
                        if !self.keys.contains(&key) {
                            batch.values.insert(key, Some(json.clone()));
                        }
                    }
                    batch.values.insert(StoreKey::Sandbox(*world), Some(json_bytes(row)));
                    batch.made = batch.made.max(*world);
                    batch.values.insert(StoreKey::Made, Some(json_bytes(&batch.made)));
                }
                Entry::End { world } => {
                    batch.values.insert(StoreKey::Sandbox(*world), None);
                    self.delete_rows(&mut batch, *world, |_| false);
                }
            }
        }
        batch
    }

    /// What a start changes.
    pub(super) fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> KeyBatch {
        let is_used = |key: &StoreKey| match key {
            StoreKey::Row(world, _) => in_use.worlds.contains(world),
            StoreKey::Definition(digest) => in_use.definitions.contains(digest),
            StoreKey::Header | StoreKey::Made | StoreKey::Sandbox(_) => true,
        };
        let unused = self.keys.iter().filter(|key| !is_used(key));
        let mut values: BTreeMap<_, _> = unused.map(|key| (key.clone(), None)).collect();
        values.insert(StoreKey::Header, Some(json_bytes(header)));
        let unused_documents = self.documents.difference(&in_use.documents).copied().collect();
        KeyBatch { values, unused_documents, made: self.made, ..KeyBatch::default() }
    }

    /// Notes that a batch is stored.
    pub(super) fn apply(&mut self, batch: KeyBatch) {
        for (key, value) in batch.values {
            match value {
                Some(_) => self.keys.insert(key),
                None => self.keys.remove(&key),
            };
        }
        self.documents.extend(batch.documents.into_keys());
        for digest in batch.unused_documents {
            self.documents.remove(&digest);
        }
        self.made = batch.made;
    }

    /// Deletes the rows of a world, also those that the batch puts, but for those that stay.
    fn delete_rows(&self, batch: &mut KeyBatch, world: u64, stays: impl Fn(&str) -> bool) {
        let of_world =
            || StoreKey::Row(world, String::new())..StoreKey::Row(world + 1, String::new());
        let is_deleted = |key: &StoreKey| !matches!(key, StoreKey::Row(_, row) if stays(row));
        for (key, value) in batch.values.range_mut(of_world()) {
            if is_deleted(key) {
                *value = None;
            }
        }
        let stored = self.keys.range(of_world()).filter(|key| is_deleted(key));
        batch.values.extend(stored.map(|key| (key.clone(), None)));
    }

    /// The content of a store with this header and these values, and the table for its next changes. Documents
    /// are added by the store.
    pub(super) fn read(
        header: StoreHeader,
        values: BTreeMap<StoreKey, Vec<u8>>,
    ) -> Result<(StoreContents, Self), String> {
        let mut contents = StoreContents {
            header,
            made: 0,
            sandboxes: BTreeMap::new(),
            definitions: Definitions::new(),
            rows: BTreeMap::new(),
            documents: BTreeMap::new(),
        };
        let keys = values.keys().cloned().collect();
        for (key, value) in values {
            match key {
                StoreKey::Header => {}
                StoreKey::Made => {
                    contents.made = serde_json::from_slice(&value).map_err(|error| {
                        format!("its number of sandboxes can't be read: {error}")
                    })?;
                }
                StoreKey::Definition(digest) => {
                    contents.definitions.insert(digest, value);
                }
                StoreKey::Sandbox(world) => {
                    let row = serde_json::from_slice(&value)
                        .map_err(|error| format!("a sandbox of it can't be read: {error}"))?;
                    contents.sandboxes.insert(world, row);
                }
                StoreKey::Row(world, key) => {
                    contents.rows.insert((world, key), value);
                }
            }
        }
        let table = Self { keys, made: contents.made, documents: BTreeSet::new() };
        Ok((contents, table))
    }
}
