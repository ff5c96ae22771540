//! Commits changes in groups. Changes that arrive during a commit are part of the next one.
//!
//! The first waiting thread commits for all others. So many writers, of one world or of several, share
//! the wait for the disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};
use redb::Database;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::commit_count::CommitCount;
use super::documents;
use super::folder::{DurableError, Folder};
use super::rows::{self, Entry};
use super::sandbox_record::SandboxRecord;
use super::sandbox_row::SandboxRow;
use crate::message::content::ContentPlace;
use crate::service::{Keeper, NotKept};
use crate::state::stored;

/// The store of one mock, with a folder of its own. A clone is another handle to the same store.
#[derive(Clone)]
pub(crate) struct StateStore(Arc<StateStoreShared>);

struct StateStoreShared {
    folder: Folder,
    /// `None` after a failed commit: redb takes nothing more until it is opened again.
    database: Mutex<Option<Database>>,
    commit_count: CommitCount,
    queue: Mutex<Queue>,
    /// The number of the newest committed entry.
    newest_committed: AtomicU64,
    /// Notified after every commit.
    committed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Entries that are not committed, in order.
    waiting: Vec<Entry>,
    /// The number of the newest entry.
    taken: u64,
    is_committing: bool,
    /// The number of failed commits, and why the newest failed.
    failures: u64,
    failure: Option<NotKept>,
}

impl StateStore {
    pub(super) fn new(folder: Folder, database: Database, commit_count: CommitCount) -> Self {
        Self(Arc::new(StateStoreShared {
            folder,
            database: Mutex::new(Some(database)),
            commit_count,
            queue: Mutex::default(),
            newest_committed: AtomicU64::new(0),
            committed: Condvar::new(),
        }))
    }

    /// The folder for uploads. It is on the same file system as the stored documents, so they need no
    /// copy.
    pub(crate) fn uploads(&self) -> PathBuf {
        self.0.folder.uploads()
    }

    /// A keeper for all further changes of a world.
    pub(crate) fn keeper(&self, world: u64) -> Keeper {
        let (taker, finisher) = (self.clone(), self.clone());
        Keeper {
            take: Box::new(move |noted| {
                let rows = noted.changes.iter().flat_map(stored::rows).collect();
                taker.take(Entry::Changes { world, is_reset: noted.is_reset, rows })
            }),
            finish: Box::new(move |number| finisher.finish(number)),
        }
    }

    /// Stores a new sandbox. Call this before a client learns of the sandbox.
    pub(crate) fn add(&self, sandbox: &SandboxRecord) -> Result<(), NotKept> {
        let (row, definitions) = SandboxRow::of(sandbox);
        self.finish(self.take(Entry::Sandbox { world: sandbox.key, row, definitions }))
    }

    /// Removes a sandbox with all its data.
    pub(crate) fn remove(&self, world: u64) -> Result<(), NotKept> {
        self.finish(self.take(Entry::End { world }))
    }

    fn take(&self, entry: Entry) -> u64 {
        let mut queue = self.0.queue.lock();
        queue.waiting.push(entry);
        queue.taken += 1;
        queue.taken
    }

    /// Returns as soon as all entries up to `number` are committed, by this thread or by another one.
    fn finish(&self, number: u64) -> Result<(), NotKept> {
        if self.0.newest_committed.load(Ordering::Acquire) >= number {
            return Ok(());
        }
        // Waiting for the disk must not block the other calls of this thread.
        let is_shared = Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
        if is_shared {
            tokio::task::block_in_place(|| self.0.finish(number))
        } else {
            self.0.finish(number)
        }
    }
}

impl StateStoreShared {
    fn finish(&self, number: u64) -> Result<(), NotKept> {
        let mut queue = self.queue.lock();
        let failures_before = queue.failures;
        loop {
            if self.newest_committed.load(Ordering::Acquire) >= number {
                return Ok(());
            }
            if queue.failures > failures_before
                && let Some(failure) = &queue.failure
            {
                return Err(failure.clone());
            }
            if queue.is_committing {
                self.committed.wait(&mut queue);
                continue;
            }
            queue.is_committing = true;
            let (entries, newest) = (std::mem::take(&mut queue.waiting), queue.taken);
            drop(queue);
            let result = self.keep(&entries);
            queue = self.queue.lock();
            queue.is_committing = false;
            match result {
                Ok(()) => self.newest_committed.store(newest, Ordering::Release),
                Err(failure) => {
                    // They come first in the next commit: storing an entry twice changes nothing.
                    let later = std::mem::replace(&mut queue.waiting, entries);
                    queue.waiting.extend(later);
                    queue.failures += 1;
                    queue.failure = Some(failure);
                }
            }
            self.committed.notify_all();
        }
    }

    /// Writes files first: a row must not name a file that does not exist.
    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept> {
        let files = self.folder.files();
        for content in entries.iter().flat_map(Entry::contents) {
            if let ContentPlace::File { path, .. } = &content.place {
                documents::keep(&files, content, path)
                    .map_err(|cause| NotKept(DurableError::io(&files)(cause).to_string()))?;
            }
        }
        let commits = self.commit(entries)?;
        self.commit_count.write(commits).map_err(|cause| {
            NotKept(DurableError::io(&self.folder.commit_count())(cause).to_string())
        })
    }

    /// Commits entries. After a failure, such as a full disk, the next call opens the database again.
    fn commit(&self, entries: &[Entry]) -> Result<u64, NotKept> {
        let path = self.folder.database();
        let not_kept = |error| NotKept(format!("{}: {error}", path.display()));
        let mut open = self.database.lock();
        let database = match open.take() {
            Some(database) => database,
            None => rows::open(&path).map_err(not_kept)?,
        };
        let commits = rows::keep(&database, entries).map_err(not_kept)?;
        *open = Some(database);
        Ok(commits)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::open::OpenStore;
    use super::{StateStore, StateStoreShared};
    use crate::shell::settings;
    use crate::state::change::Change;
    use crate::value::settings::RateLimitMode;
    use crate::world::Noted;

    fn opened(folder: &std::path::Path) -> OpenStore {
        let world = settings::world("empty").expect("it is embedded");
        let settings = settings::defaults("http://moot.test", world);
        StateStore::open(folder, &settings).unwrap_or_else(|error| panic!("{error}"))
    }

    fn noted() -> Noted {
        Noted { is_reset: false, changes: vec![Change::SetRateLimit(RateLimitMode::Off)] }
    }

    /// The number of commits so far.
    fn commits(inner: &StateStoreShared) -> u64 {
        super::super::commit_count::read(&inner.folder.commit_count()).expect("a readable file")
    }

    #[test]
    fn what_is_handed_in_together_is_one_commit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let durable = opened(folder.path()).durable;
        let before = commits(&durable.0);
        let keepers = [0, 0, 1, 2, 2].map(|world| durable.keeper(world));
        let numbers: Vec<u64> = keepers.iter().map(|keeper| (keeper.take)(noted())).collect();
        assert_eq!(BTreeSet::from_iter(&numbers).len(), numbers.len());
        for (keeper, number) in keepers.iter().zip(numbers) {
            assert_eq!((keeper.finish)(number), Ok(()));
        }
        assert_eq!(commits(&durable.0), before + 1);
        let keeper = &keepers[0];
        assert_eq!((keeper.finish)((keeper.take)(noted())), Ok(()));
        assert_eq!(commits(&durable.0), before + 2);
    }

    #[test]
    fn writers_of_many_threads_all_come_to_an_end() {
        const THREADS: u64 = 8;
        const WRITES: u64 = 20;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let durable = opened(folder.path()).durable;
        let before = commits(&durable.0);
        std::thread::scope(|scope| {
            for world in 0..THREADS {
                let keeper = durable.keeper(world % 3);
                scope.spawn(move || {
                    for _ in 0..WRITES {
                        assert_eq!((keeper.finish)((keeper.take)(noted())), Ok(()));
                    }
                });
            }
        });
        assert!(commits(&durable.0) <= before + THREADS * WRITES);
    }

    /// A database that is missing stands for a full disk.
    #[test]
    fn after_a_failure_everything_is_committed_as_soon_as_that_is_possible() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let durable = opened(folder.path()).durable;
        let keeper = durable.keeper(0);
        let first = (keeper.take)(noted());
        assert_eq!((keeper.finish)(first), Ok(()));
        let before = commits(&durable.0);
        *durable.0.database.lock() = None;
        let (path, aside) = (folder.path().join("state.redb"), folder.path().join("aside"));
        std::fs::rename(&path, &aside).expect("a file");
        assert_eq!((keeper.finish)(first), Ok(()), "a committed change stays committed");
        let second = (keeper.take)(noted());
        assert!((keeper.finish)(second).is_err());
        let third = (keeper.take)(noted());
        assert!((keeper.finish)(third).is_err());
        std::fs::rename(&aside, &path).expect("a file");
        assert_eq!((keeper.finish)(second), Ok(()));
        assert_eq!((keeper.finish)(third), Ok(()));
        assert_eq!(commits(&durable.0), before + 1, "both are in one commit");
    }
}
