//! What a mock needs of a store. A folder, PostgreSQL and memory implement it; `tests` says what each of
//! them must do.

use std::path::PathBuf;

use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::error::DurableError;
use crate::service::NotKept;
use crate::value::message::content::ContentPlace;

/// Keeps the data of one mock. Only one mock uses it at a time.
pub(super) trait RowStore: Send + Sync {
    /// Reads everything and verifies it. Changes nothing. `None` if nothing was ever stored.
    ///
    /// # Errors
    /// The data can't be read, or they are damaged.
    fn read(&self) -> Result<Option<StoreContents>, DurableError>;

    /// The bytes of a stored document that [`Self::read`] did not read into memory.
    ///
    /// # Errors
    /// It is missing, or its bytes have another digest.
    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError>;

    /// Records a start, and removes what is not in use. The first start creates the data.
    ///
    /// # Errors
    /// The header could not be written; then nothing has changed.
    fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> Result<(), DurableError>;

    /// Stores these entries in order, in one commit: all of them or none. Storing an entry twice changes
    /// nothing.
    ///
    /// # Errors
    /// [`NotKept`]: some or all of them may be stored, so the caller hands all of them in again.
    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept>;

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
