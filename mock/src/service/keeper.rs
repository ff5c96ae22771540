//! Storing the changes of a world, in two steps.
//!
//! [`Keeper::take`] is called under the write lock of the world, so the order of changes is kept.
//! [`Keeper::finish`] waits for the disk without a lock, so that many changes share one write.

use crate::control::Refusal;
use crate::world::ChangeBatch;

/// Stores changes. The changes of one call of `take` are stored together or not at all. After a failure,
/// the next call of `finish` tries again.
pub struct Keeper {
    /// Queues changes of one world, in the order of applying. Returns their number, which grows from 1.
    pub take: Box<dyn Fn(ChangeBatch) -> u64 + Send + Sync>,
    /// Waits until all changes up to a number of `take` are stored.
    pub finish: Box<dyn Fn(u64) -> Result<(), KeepError> + Send + Sync>,
    /// Whether this process may still act on the world, for example send a delivery.
    pub may_act: Box<dyn Fn() -> bool + Send + Sync>,
}

/// The reason that changes could not be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeepError(pub String);

impl From<KeepError> for Refusal {
    fn from(KeepError(why): KeepError) -> Self {
        Self::new(500, "state_not_kept", format!("the mock cannot store its state: {why}"))
    }
}
