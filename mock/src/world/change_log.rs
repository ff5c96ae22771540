//! The newest changes of a world, for its watchers. Without a watcher nothing is kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::value::limits::WATCHED_CHANGES_MAX;
use crate::world::state::change::Change;

/// The newest changes of a world.
#[derive(Debug, Default)]
pub(crate) struct ChangeLog {
    watchers: AtomicUsize,
    rows: Mutex<LoggedChanges>,
}

#[derive(Debug, Default)]
struct LoggedChanges {
    newest: VecDeque<Change>,
    /// How many there were so far.
    count: u64,
}

/// A watcher of a world. The changes are kept while there is at least one watcher.
#[derive(Debug)]
pub(crate) struct ChangeWatcher {
    log: Arc<ChangeLog>,
    /// How many changes it has seen.
    seen: u64,
}

impl ChangeLog {
    /// Keeps a change if there is a watcher.
    pub(crate) fn note(&self, change: &Change) {
        if self.watchers.load(Ordering::Relaxed) == 0 {
            return;
        }
        let rows = &mut *self.rows.lock();
        rows.count += 1;
        rows.newest.push_back(change.clone());
        if rows.newest.len() > WATCHED_CHANGES_MAX {
            rows.newest.pop_front();
        }
    }
}

impl ChangeWatcher {
    /// Watches from now on.
    pub(crate) fn new(log: Arc<ChangeLog>) -> Self {
        log.watchers.fetch_add(1, Ordering::Relaxed);
        let seen = log.rows.lock().count;
        Self { log, seen }
    }

    /// Whether it watches this log.
    pub(crate) fn watches(&self, log: &Arc<ChangeLog>) -> bool {
        Arc::ptr_eq(&self.log, log)
    }

    /// The changes since the last time, and how many of them are lost.
    pub(crate) fn news(&mut self) -> (Vec<Change>, u64) {
        let rows = self.log.rows.lock();
        let fresh = rows.count - self.seen;
        self.seen = rows.count;
        let kept = rows.newest.len().min(usize::try_from(fresh).unwrap_or(usize::MAX));
        let news = rows.newest.iter().skip(rows.newest.len() - kept).cloned().collect();
        (news, fresh - kept as u64)
    }
}

impl Drop for ChangeWatcher {
    fn drop(&mut self) {
        if self.log.watchers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.log.rows.lock().newest.clear();
        }
    }
}
