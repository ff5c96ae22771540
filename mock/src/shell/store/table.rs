//! Entries as single keys and values, for stores that know nothing else.
//!
//! The table knows the keys that the store has. So a reset of a world, or its end, becomes a list of keys
//! to delete.

use std::collections::{BTreeMap, BTreeSet};

use super::documents;
use super::entry::{DataInUse, Entry, StoreContents, StoreHeader, split};
use super::sandbox_row::{Definitions, SandboxRow};
use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::world::state::stored;

/// The key of the header.
pub(super) const HEADER: &str = "about";
/// The key of the number of the newest sandbox.
const MADE: &str = "made";
/// Prefixes of keys.
const ROW: &str = "row/";
const SANDBOX: &str = "sandbox/";
const DEFINITION: &str = "definition/";

/// The keys and the documents that a store has.
#[derive(Debug, Default, Clone)]
pub(super) struct KeyTable {
    keys: BTreeSet<String>,
    made: u64,
    pub(super) documents: BTreeSet<[u8; 32]>,
}

/// What one commit changes.
#[derive(Debug, Default)]
pub(super) struct KeyBatch {
    /// New values; `None` deletes the key.
    pub(super) values: BTreeMap<String, Option<Vec<u8>>>,
    /// Documents that the store does not have yet.
    pub(super) documents: BTreeMap<[u8; 32], Content>,
    made: u64,
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
                        let key = format!("{ROW}{world}/{}", row.key);
                        batch.values.insert(key, row.value.clone());
                    }
                }
                Entry::Sandbox { world, row, definitions } => {
                    for (digest, json) in definitions {
                        let key = format!("{DEFINITION}{}", documents::name(digest));
                        if !self.keys.contains(&key) {
                            batch.values.insert(key, Some(json.clone()));
                        }
                    }
                    batch.values.insert(format!("{SANDBOX}{world}"), Some(json_bytes(row)));
                    batch.made = batch.made.max(*world);
                    batch.values.insert(MADE.to_owned(), Some(json_bytes(&batch.made)));
                }
                Entry::End { world } => {
                    batch.values.insert(format!("{SANDBOX}{world}"), None);
                    self.delete_rows(&mut batch, *world, |_| false);
                }
            }
        }
        // A key that the store does not have needs no deletion.
        batch.values.retain(|key, value| value.is_some() || self.keys.contains(key));
        batch
    }

    /// What a start changes.
    pub(super) fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> KeyBatch {
        let definitions: BTreeSet<String> =
            in_use.definitions.iter().map(documents::name).collect();
        let is_used = |key: &str| {
            if let Some(rest) = key.strip_prefix(ROW) {
                split(rest).is_some_and(|(world, _)| in_use.worlds.contains(&world))
            } else if let Some(digest) = key.strip_prefix(DEFINITION) {
                definitions.contains(digest)
            } else {
                true
            }
        };
        let unused = self.keys.iter().filter(|key| !is_used(key));
        let mut values: BTreeMap<_, _> = unused.map(|key| (key.clone(), None)).collect();
        values.insert(HEADER.to_owned(), Some(json_bytes(header)));
        KeyBatch { values, made: self.made, ..KeyBatch::default() }
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
        self.made = batch.made;
    }

    /// Deletes the rows of a world, also those that the batch puts, but for those that stay.
    fn delete_rows(&self, batch: &mut KeyBatch, world: u64, stays: impl Fn(&str) -> bool) {
        // The character after `/` is `0`.
        let (start, end) = (format!("{ROW}{world}/"), format!("{ROW}{world}0"));
        let is_deleted = |key: &String| !stays(&key[start.len()..]);
        let stored = self.keys.range(start.clone()..end.clone());
        let deleted: Vec<String> = stored.filter(|key| is_deleted(key)).cloned().collect();
        for (key, value) in batch.values.range_mut(start.clone()..end) {
            if is_deleted(key) {
                *value = None;
            }
        }
        batch.values.extend(deleted.into_iter().map(|key| (key, None)));
    }

    /// The content of a store with these values, and the table for its next changes. Documents are added
    /// by the store. `None` where there is no header.
    pub(super) fn read(
        values: BTreeMap<String, Vec<u8>>,
    ) -> Result<Option<(StoreContents, Self)>, String> {
        let Some(header) = values.get(HEADER) else { return Ok(None) };
        let mut contents = StoreContents {
            header: StoreHeader::read(header)?,
            made: 0,
            sandboxes: BTreeMap::new(),
            definitions: Definitions::new(),
            rows: BTreeMap::new(),
            documents: BTreeMap::new(),
        };
        let keys = values.keys().cloned().collect();
        for (key, value) in values {
            if let Some(rest) = key.strip_prefix(ROW) {
                contents.rows.insert(rest.to_owned(), value);
            } else if let Some(number) = key.strip_prefix(SANDBOX) {
                let number = number.parse().map_err(|_| format!("its key `{key}` is unknown"))?;
                let row: SandboxRow = serde_json::from_slice(&value)
                    .map_err(|error| format!("a sandbox of it can't be read: {error}"))?;
                contents.sandboxes.insert(number, row);
            } else if let Some(digest) = key.strip_prefix(DEFINITION) {
                let digest = documents::digest_of_name(digest)
                    .ok_or_else(|| format!("its key `{key}` is unknown"))?;
                contents.definitions.insert(digest, value);
            } else if key == MADE {
                contents.made = serde_json::from_slice(&value)
                    .map_err(|error| format!("its number of sandboxes can't be read: {error}"))?;
            }
        }
        let table = Self { keys, made: contents.made, documents: BTreeSet::new() };
        Ok(Some((contents, table)))
    }
}
