//! The newest changes of a world, for its watchers. Without a watcher nothing is kept.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::value::limits::WATCHED_CHANGES_MAX;
use crate::world::state::change::Change;

/// The newest changes of a world, and how many there were so far. A watcher has a clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangeLog(Arc<Mutex<(VecDeque<Change>, u64)>>);

impl ChangeLog {
    /// Keeps a change if there is a watcher. Without one, the log would only keep deleted documents and checkpoints
    /// in memory.
    pub(crate) fn note(&self, change: &Change) {
        let (newest, count) = &mut *self.0.lock();
        if Arc::strong_count(&self.0) == 1 {
            newest.clear();
            return;
        }
        *count += 1;
        newest.push_back(change.clone());
        if newest.len() > WATCHED_CHANGES_MAX {
            newest.pop_front();
        }
    }

    /// How many changes there were so far.
    pub(crate) fn count(&self) -> u64 {
        self.0.lock().1
    }

    /// The changes after the first `seen` ones, and how many of them are lost.
    pub(crate) fn after(&self, seen: u64) -> (Vec<Change>, u64) {
        let (newest, count) = &*self.0.lock();
        let fresh = count - seen;
        let kept = newest.len().min(usize::try_from(fresh).unwrap_or(usize::MAX));
        let changes = newest.iter().skip(newest.len() - kept).cloned().collect();
        (changes, fresh - kept as u64)
    }
}
