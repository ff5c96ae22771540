//! A store in memory: the reference for the other stores, and the store in tests of the committer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use crate::shell::store::error::DurableError;
use crate::shell::store::header::StoreHeader;
use crate::shell::store::row_store::{RowStore, StoredData};
use crate::shell::store::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;

#[derive(Default)]
pub(super) struct MemoryStore {
    values: Mutex<BTreeMap<StoreKey, Vec<u8>>>,
    documents: Mutex<BTreeMap<[u8; 32], Option<Bytes>>>,
}

impl RowStore for MemoryStore {
    fn read(&self) -> Result<Option<StoredData>, DurableError> {
        let (values, documents) = (self.values.lock().clone(), self.documents.lock().clone());
        let Some(header) = values.get(&StoreKey::Header) else { return Ok(None) };
        let header = StoreHeader::read(header).map_err(|damage| self.damaged(damage))?;
        Ok(Some(StoredData { header, values, documents }))
    }

    fn document(&self, _digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        Err(self.damaged("a document is missing".to_owned()))
    }

    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError> {
        let (mut values, mut documents) = (self.values.lock(), self.documents.lock());
        for (key, value) in &batch.values {
            match value {
                Some(value) => drop(values.insert(key.clone(), value.clone())),
                None => drop(values.remove(key)),
            }
        }
        for (digest, content) in &batch.documents {
            let bytes = match &content.place {
                ContentPlace::Memory(bytes) => bytes.clone(),
                ContentPlace::File { path, .. } => std::fs::read(path).expect("a file").into(),
                ContentPlace::Apart => continue,
            };
            documents.insert(*digest, Some(bytes));
        }
        for digest in &batch.unused_documents {
            documents.remove(digest);
        }
        Ok(())
    }

    fn uploads(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn damaged(&self, damage: String) -> DurableError {
        DurableError::damaged(std::path::Path::new("memory"), damage)
    }
}
