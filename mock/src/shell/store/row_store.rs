//! The interface of stores. A folder and PostgreSQL implement it. `tests` has the laws of every store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use super::error::DurableError;
use super::header::StoreHeader;
use super::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;

/// All data of a store.
#[derive(Debug)]
pub(crate) struct StoredData {
    pub(super) header: StoreHeader,
    pub(super) values: BTreeMap<StoreKey, Vec<u8>>,
    /// Documents by digest; `None` for one that is too large to be read into memory.
    pub(super) documents: BTreeMap<[u8; 32], Option<Bytes>>,
}

/// Stores the data of one mock. Only one mock uses it at a time.
pub(crate) trait RowStore: Send + Sync {
    /// Reads and verifies all data. Changes nothing. `None` if the store has no data yet.
    ///
    /// # Errors
    /// The data can't be read, or they are damaged.
    fn read(&self) -> Result<Option<StoredData>, DurableError>;

    /// The bytes of a stored document that [`Self::read`] did not read into memory.
    ///
    /// # Errors
    /// It is missing, or its bytes have another digest.
    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError>;

    /// Stores all of a batch or nothing. The first batch has the header, and creates the data.
    ///
    /// # Errors
    /// It is unknown whether the batch is stored, so the caller must commit it again.
    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError>;

    /// Whether this process may still act, for example send a delivery. In a store that several processes share
    /// it may not once another process may be active.
    fn may_act(&self) -> bool {
        true
    }

    /// The folder for uploads.
    fn uploads(&self) -> PathBuf;

    /// An error about damaged data.
    fn damaged(&self, damage: String) -> DurableError;
}
