//! Commits changes in groups. Changes that arrive during a commit are part of the next one.
//!
//! A thread that has the lock of the commit stores the entries of all that wait for it. So the writers of all worlds share
//! the wait for the disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::row_store::RowStore;
use super::sandbox_record::SandboxRecord;
use super::table::{Entry, KeyTable};
use crate::service::{KeepError, Keeper};

/// The store of one mock.
pub(crate) struct StateStore {
    store: Arc<dyn RowStore>,
    /// The keys in the store. The thread that commits holds this lock.
    table: Mutex<KeyTable>,
    queue: Mutex<Queue>,
    /// The number of the newest committed entry.
    newest_committed: AtomicU64,
}

#[derive(Default)]
struct Queue {
    /// Entries that are not committed, in order.
    waiting: Vec<Entry>,
    /// The number of the newest entry.
    taken: u64,
}

impl StateStore {
    pub(super) fn new(store: Arc<dyn RowStore>, table: KeyTable) -> Self {
        Self {
            store,
            table: Mutex::new(table),
            queue: Mutex::default(),
            newest_committed: AtomicU64::new(0),
        }
    }

    pub(crate) fn uploads(&self) -> PathBuf {
        self.store.uploads()
    }

    /// The number of the newest sandbox, including deleted ones.
    pub(crate) fn newest_sandbox(&self) -> u64 {
        self.table.lock().newest_sandbox
    }

    /// A keeper for all further changes of a world.
    pub(crate) fn keeper(self: &Arc<Self>, world: u64) -> Keeper {
        let (queue, committer, store) = (self.clone(), self.clone(), self.store.clone());
        Keeper {
            take: Box::new(move |noted| queue.take(Entry::Changes { world, noted })),
            finish: Box::new(move |number| committer.finish(number)),
            may_act: Box::new(move || store.may_act()),
        }
    }

    /// Stores a new sandbox. Call this before its creation is answered.
    pub(crate) fn add(&self, sandbox: SandboxRecord) -> Result<(), KeepError> {
        self.finish(self.take(Entry::Sandbox(Box::new(sandbox))))
    }

    /// Removes a sandbox with all its data.
    pub(crate) fn remove(&self, world: u64) -> Result<(), KeepError> {
        self.finish(self.take(Entry::End { world }))
    }

    /// Queues an entry, and returns its number.
    fn take(&self, entry: Entry) -> u64 {
        let mut queue = self.queue.lock();
        queue.waiting.push(entry);
        queue.taken += 1;
        queue.taken
    }

    /// Returns as soon as all entries up to `number` are committed, by this thread or by another one.
    fn finish(&self, number: u64) -> Result<(), KeepError> {
        if self.newest_committed.load(Ordering::Acquire) >= number {
            return Ok(());
        }
        // Waiting for the disk must not block the other tasks of this thread.
        let is_multi_thread = Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
        if is_multi_thread {
            tokio::task::block_in_place(|| self.wait(number))
        } else {
            self.wait(number)
        }
    }

    fn wait(&self, number: u64) -> Result<(), KeepError> {
        let mut table = self.table.lock();
        // Another thread may have committed the entry while this one waited for the lock.
        if self.newest_committed.load(Ordering::Acquire) >= number {
            return Ok(());
        }
        let (entries, newest) = {
            let mut queue = self.queue.lock();
            (std::mem::take(&mut queue.waiting), queue.taken)
        };
        let batch = Arc::new(table.batch(&entries));
        if let Err(error) = self.store.commit(&batch) {
            // The entries come first in the next commit. The failed commit may have stored them, but storing an entry
            // twice changes nothing.
            self.queue.lock().waiting.splice(0..0, entries);
            return Err(KeepError(error.to_string()));
        }
        table.apply(&batch);
        self.newest_committed.store(newest, Ordering::Release);
        Ok(())
    }
}
