//! A store in memory: the reference for the other ones, and for tests of what is above a store.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use parking_lot::Mutex;

use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::error::DurableError;
use super::row_store::RowStore;
use super::table::{KeyBatch, KeyTable, StoreKey};
use crate::service::NotKept;
use crate::value::message::content::ContentPlace;

#[derive(Default)]
pub(super) struct MemoryStore(Mutex<StoredValues>);

#[derive(Default)]
struct StoredValues {
    values: BTreeMap<StoreKey, Vec<u8>>,
    documents: BTreeMap<[u8; 32], Bytes>,
    table: KeyTable,
}

impl StoredValues {
    fn commit(&mut self, batch: KeyBatch) {
        for (key, value) in &batch.values {
            match value {
                Some(value) => drop(self.values.insert(key.clone(), value.clone())),
                None => drop(self.values.remove(key)),
            }
        }
        for (digest, content) in &batch.documents {
            let bytes = match &content.place {
                ContentPlace::Memory(bytes) => bytes.clone(),
                ContentPlace::File { path, .. } => std::fs::read(path).expect("a file").into(),
                ContentPlace::Apart => continue,
            };
            self.documents.insert(*digest, bytes);
        }
        for digest in &batch.unused_documents {
            self.documents.remove(digest);
        }
        self.table.apply(batch);
    }
}

impl RowStore for MemoryStore {
    fn read(&self) -> Result<Option<StoreContents>, DurableError> {
        let mut stored = self.0.lock();
        let Some(header) = stored.values.get(&StoreKey::Header) else { return Ok(None) };
        let read = StoreHeader::read(header)
            .and_then(|header| KeyTable::read(header, stored.values.clone()));
        let (mut contents, mut table) = read.map_err(|what| self.damaged(what))?;
        table.documents = stored.documents.keys().copied().collect();
        for (digest, bytes) in &stored.documents {
            contents.documents.insert(*digest, bytes.clone());
        }
        stored.table = table;
        Ok(Some(contents))
    }

    fn document(&self, _digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        Err(self.damaged("a document is missing".to_owned()))
    }

    fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> Result<(), DurableError> {
        let mut stored = self.0.lock();
        let batch = stored.table.start(header, in_use);
        stored.commit(batch);
        Ok(())
    }

    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept> {
        let mut stored = self.0.lock();
        let batch = stored.table.batch(entries);
        stored.commit(batch);
        Ok(())
    }

    fn uploads(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn damaged(&self, what: String) -> DurableError {
        DurableError::damaged(std::path::Path::new("memory"), what)
    }
}
