//! Commits as lists of changed keys and values.
//!
//! The table has all keys of the store. So the reset or the deletion of a world becomes a list of keys to delete.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::sandbox_record::SandboxRecord;
use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::world::ChangeBatch;
use crate::world::state::stored_rows;

/// The key of a stored value. A store is read in this order: rows come after the sandboxes of their worlds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StoreKey {
    Header,
    /// The number of the newest sandbox, including deleted ones.
    NewestSandbox,
    Sandbox(u64),
    /// A row of a world, by the key of [`crate::world::state::stored_rows`].
    Row(u64, String),
}

impl fmt::Display for StoreKey {
    /// A key as it is stored, such as `row/0/legal_request/42`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("about"),
            Self::NewestSandbox => f.write_str("made"),
            Self::Sandbox(world) => write!(f, "sandbox/{world}"),
            Self::Row(world, key) => write!(f, "row/{world}/{key}"),
        }
    }
}

impl StoreKey {
    /// Reads a stored key; `None` if it is unknown.
    pub(super) fn read(text: &str) -> Option<Self> {
        Some(match text.split_once('/') {
            None if text == "about" => Self::Header,
            None if text == "made" => Self::NewestSandbox,
            Some(("sandbox", world)) => Self::Sandbox(world.parse().ok()?),
            Some(("row", row)) => {
                let (world, key) = row.split_once('/')?;
                Self::Row(world.parse().ok()?, key.to_owned())
            }
            _ => return None,
        })
    }
}

/// An entry of the queue of a store.
#[derive(Debug)]
pub(super) enum Entry {
    /// Changes of a world.
    Changes { world: u64, noted: ChangeBatch },
    /// A new sandbox.
    Sandbox(Box<SandboxRecord>),
    /// A deleted sandbox.
    End { world: u64 },
}

/// The keys and the documents in a store.
#[derive(Debug, Default)]
pub(super) struct KeyTable {
    pub(super) keys: BTreeSet<StoreKey>,
    /// The number of the newest sandbox.
    pub(super) newest_sandbox: u64,
    pub(super) documents: BTreeSet<[u8; 32]>,
}

/// The changes of one commit.
#[derive(Debug, Default)]
pub(crate) struct KeyBatch {
    /// New values; `None` deletes the key.
    pub(super) values: BTreeMap<StoreKey, Option<Vec<u8>>>,
    /// New documents.
    pub(super) documents: BTreeMap<[u8; 32], Content>,
    /// Documents to delete.
    pub(super) unused_documents: Vec<[u8; 32]>,
}

impl KeyTable {
    /// The changes of these entries, in this order.
    pub(super) fn batch(&mut self, entries: &[Entry]) -> KeyBatch {
        let mut batch = KeyBatch::default();
        for entry in entries {
            match entry {
                Entry::Changes { world, noted } => {
                    if noted.is_reset {
                        self.delete_rows(&mut batch, *world, stored_rows::survives_reset);
                    }
                    for change in &noted.changes {
                        let value = stored_rows::value(change);
                        for key in stored_rows::keys(change) {
                            batch.values.insert(StoreKey::Row(*world, key), value.clone());
                        }
                        for content in stored_rows::contents(change) {
                            self.add_document(&mut batch, &content);
                        }
                    }
                }
                Entry::Sandbox(sandbox) => {
                    let key = StoreKey::Sandbox(sandbox.key);
                    batch.values.insert(key, Some(json_bytes(sandbox)));
                    self.add_document(&mut batch, &sandbox.seed);
                    self.newest_sandbox = self.newest_sandbox.max(sandbox.key);
                    batch
                        .values
                        .insert(StoreKey::NewestSandbox, Some(json_bytes(&self.newest_sandbox)));
                }
                Entry::End { world } => {
                    batch.values.insert(StoreKey::Sandbox(*world), None);
                    self.delete_rows(&mut batch, *world, |_| false);
                }
            }
        }
        batch
    }

    /// Adds a document to a batch, unless it is stored already.
    fn add_document(&self, batch: &mut KeyBatch, content: &Content) {
        if !self.documents.contains(&content.digest) {
            batch.documents.entry(content.digest).or_insert_with(|| content.clone());
        }
    }

    /// Notes that a batch is stored.
    pub(super) fn apply(&mut self, batch: &KeyBatch) {
        for (key, value) in &batch.values {
            match value {
                Some(_) => self.keys.insert(key.clone()),
                None => self.keys.remove(key),
            };
        }
        self.documents.extend(batch.documents.keys());
        for digest in &batch.unused_documents {
            self.documents.remove(digest);
        }
    }

    /// Deletes the rows of a world in the store and in the batch, except those that stay.
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
}
