//! A world and its store: collecting applied changes, and restoring a world from stored ones.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::World;
use crate::value::message::call::Call;
use crate::value::message::problem::Problem;
use crate::value::message::response::Response;
use crate::world::state::change::Change;

/// Range of call numbers of one start of a stored world. No two starts share a number, so that no
/// `request_id` and no token is issued twice.
const CALLS_PER_START: u64 = 1 << 32;

/// Changes to be stored in one transaction.
#[derive(Debug, Clone, Default)]
pub struct ChangeBatch {
    /// Whether the world was reset before the changes.
    pub is_reset: bool,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl ChangeBatch {
    /// Whether there is nothing to keep.
    pub const fn is_empty(&self) -> bool {
        !self.is_reset && self.changes.is_empty()
    }
}

impl World {
    /// Applies the stored changes of this world. `starts` is the number of earlier starts.
    pub fn restore(&mut self, kept: Vec<Change>, starts: u64) {
        self.apply(kept);
        self.calls.store(starts.wrapping_mul(CALLS_PER_START), Ordering::Relaxed);
    }

    /// Starts collecting applied changes.
    pub(crate) fn note(&mut self) {
        self.noted = Some(ChangeBatch::default());
    }

    /// Stops collecting, and returns the changes since [`Self::note`].
    pub(crate) fn noted(&mut self) -> ChangeBatch {
        self.noted.take().unwrap_or_default()
    }

    /// The response to a call whose changes could not be stored.
    pub(crate) fn not_kept(&self, now: Timestamp, call: &Call<'_>, why: &str) -> Response {
        let problem = Problem::state_not_kept(call.admitted.operation, why);
        self.responder(now, call.head.path, call.admitted.serial).problem(&problem)
    }
}
