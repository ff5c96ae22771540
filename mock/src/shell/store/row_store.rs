//! What a mock needs of a store. A folder and PostgreSQL implement it; `tests` says what each of them
//! must do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use super::error::DurableError;
use super::header::StoreHeader;
use super::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;

/// All that a store keeps.
#[derive(Debug)]
pub(super) struct StoredData {
    pub(super) header: StoreHeader,
    pub(super) values: BTreeMap<StoreKey, Vec<u8>>,
    /// Documents by digest; `None` for one that is too large to be read into memory.
    pub(super) documents: BTreeMap<[u8; 32], Option<Bytes>>,
}

/// Keeps the data of one mock. Only one mock uses it at a time.
pub(super) trait RowStore: Send + Sync {
    /// Reads everything and verifies it. Changes nothing. `None` if nothing was ever stored.
    ///
    /// # Errors
    /// The data can't be read, or they are damaged.
    fn read(&self) -> Result<Option<StoredData>, DurableError>;

    /// The bytes of a stored document that [`Self::read`] did not read into memory.
    ///
    /// # Errors
    /// It is missing, or its bytes have another digest.
    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError>;

    /// Stores a batch: all of it or nothing. The first batch has the header, and creates the data.
    ///
    /// # Errors
    /// The batch may be stored or not, so the caller hands it in again.
    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError>;

    /// Whether this process may still act on what it knows, for example send a delivery. A store that
    /// several processes share says no once another one may be active.
    fn may_act(&self) -> bool {
        true
    }

    /// Where uploads are received.
    fn uploads(&self) -> PathBuf;

    /// Damage of the stored data.
    fn damaged(&self, what: String) -> DurableError;
}
