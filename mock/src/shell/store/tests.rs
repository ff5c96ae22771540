//! The laws of every store, as one suite that runs for each store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;

use self::memory_store::MemoryStore;
use super::committer::StateStore;
use super::error::DurableError;
use super::folder_store::FolderStore;
use super::open::{OpenStore, open};
use super::row_store::{RowStore, StoredData};
use super::sandbox_record::SandboxRecord;
use super::table::{Entry, KeyBatch, KeyTable, StoreKey};
use crate::shell::body::{Spool, Store};
use crate::shell::settings;
use crate::value::message::content::{Content, ContentPlace};
use crate::value::settings::RateLimitMode;
use crate::world::ChangeBatch;
use crate::world::settings::Settings;
use crate::world::state::change::{AddressResponse, Change, Checkpoint};
use crate::world::state::stored_rows;

mod memory_store;

/// Opens the same data again. Earlier handles must be dropped.
type StorePlace<'p> = &'p dyn Fn() -> Arc<dyn RowStore>;
/// A law of every store, with its name.
type StoreLaw = (&'static str, fn(StorePlace<'_>));

/// All laws. Each gets its own empty place.
const LAWS: &[StoreLaw] = &[
    ("starts are counted, and the first seed stays", starts_are_counted),
    ("rows are put, replaced and deleted", rows_are_put_replaced_and_deleted),
    ("a reset spares checkpoints and other worlds", a_reset_spares_checkpoints_and_other_worlds),
    ("entries of one commit apply in order", entries_of_one_commit_apply_in_order),
    ("an entry that is stored twice changes nothing", an_entry_twice_changes_nothing),
    ("documents come back, of any size", documents_come_back),
    ("documents that no row names are removed", unnamed_documents_are_removed),
    ("sandboxes end with their rows", sandboxes_end_with_their_rows),
    ("any key can be stored", any_key_can_be_stored),
    ("writers of many threads lose nothing", writers_of_many_threads_lose_nothing),
];

/// Runs all laws. `place` makes an empty place. Each call of its result opens the place.
fn check(place: impl Fn() -> Box<dyn Fn() -> Arc<dyn RowStore>>) {
    for (name, law) in LAWS {
        println!("law: {name}");
        law(&*place());
    }
}

#[test]
fn memory() {
    check(|| {
        let store = Arc::new(MemoryStore::default());
        Box::new(move || store.clone())
    });
}

/// Takes a folder. A program that another test starts holds copies of all locks until it runs, so a lock that was
/// released may still be held for a moment.
fn taken(folder: &Path) -> FolderStore {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match FolderStore::take(folder) {
            Err(DurableError::Taken(_)) if Instant::now() < end => std::thread::yield_now(),
            taken => return taken.unwrap_or_else(|error| panic!("{error}")),
        }
    }
}

#[test]
fn folder() {
    check(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Box::new(move || Arc::new(taken(folder.path())))
    });
}

#[test]
fn a_folder_with_files_of_others_is_refused_and_stays_as_it_is() {
    for name in ["uploads/photo.jpg", "lock", "commits"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, "precious").expect("a file");
        let refusal = FolderStore::take(folder.path()).err().map(|error| error.to_string());
        assert!(refusal.is_some_and(|text| text.contains("not written by a mock")), "{name}");
        assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some("precious"), "{name}");
    }
}

#[test]
fn a_folder_with_unrelated_files_is_used() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("lost+found")).expect("a folder");
    std::fs::write(folder.path().join("README"), "state of the mock").expect("a file");
    for _ in 0..2 {
        let place = || -> Arc<dyn RowStore> { Arc::new(taken(folder.path())) };
        opened(&place);
    }
}

/// The name lets `--skip tests::postgres::` skip these tests.
#[cfg(feature = "postgres")]
mod postgres;

fn settings_with(seed: u64) -> Settings {
    let world = settings::world("empty").expect("it is embedded");
    Settings { seed, ..settings::defaults("http://moot.test", world) }
}

fn opened(place: StorePlace<'_>) -> OpenStore {
    open(place(), &settings_with(1)).unwrap_or_else(|error| panic!("{error}"))
}

fn keep(store: &Arc<StateStore>, world: u64, changes: Vec<Change>) {
    let keeper = store.keeper(world);
    let number = (keeper.take)(ChangeBatch { is_reset: false, changes });
    assert_eq!((keeper.finish)(number), Ok(()));
}

fn address(url: &str, text: &str) -> Change {
    let response = Ok(Content::in_memory(Bytes::copy_from_slice(text.as_bytes())));
    put_address(url, response)
}

fn put_address(url: &str, content: Result<Content, u16>) -> Change {
    let status = content.as_ref().err().copied();
    let response =
        AddressResponse { content: content.ok(), status, content_type: None, milliseconds: None };
    Change::PutAddress { url: url.to_owned(), response }
}

/// The rows of these changes, without the documents.
fn rows(changes: &[Change]) -> BTreeMap<String, String> {
    let text =
        |change| String::from_utf8(stored_rows::value(change).expect("a value")).expect("JSON");
    let rows_of =
        |change| stored_rows::keys(change).into_iter().map(move |key| (key, text(change)));
    changes.iter().flat_map(rows_of).collect()
}

fn keys(changes: &[Change]) -> Vec<String> {
    rows(changes).into_keys().collect()
}

fn sandbox(key: u64) -> SandboxRecord {
    let settings = settings_with(key);
    SandboxRecord {
        key,
        seed: SandboxRecord::seed_of(None, &settings.answers),
        settings: settings.run(),
        defects: Vec::new(),
        lease: None,
    }
}

fn starts_are_counted(place: StorePlace<'_>) {
    for starts in 0..3 {
        let OpenStore { header, .. } =
            open(place(), &settings_with(7 + starts)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((header.seed, header.starts), (7, starts));
    }
}

fn rows_are_put_replaced_and_deleted(place: StorePlace<'_>) {
    let first = opened(place).durable;
    keep(&first, 0, vec![address("http://a/", "1"), address("http://b/", "2")]);
    keep(&first, 0, vec![Change::SetRateLimit(RateLimitMode::Off)]);
    keep(&first, 0, vec![address("http://a/", "3")]);
    keep(&first, 0, vec![Change::DeleteAddress { url: "http://b/".to_owned() }]);
    keep(&first, 0, vec![Change::DeleteAddress { url: "http://unknown/".to_owned() }]);
    drop(first);
    let changes = opened(place).changes;
    assert_eq!(
        rows(&changes),
        rows(&[address("http://a/", "3"), Change::SetRateLimit(RateLimitMode::Off)])
    );
}

fn a_reset_spares_checkpoints_and_other_worlds(place: StorePlace<'_>) {
    let first = opened(place).durable;
    let checkpoint = Arc::new(Checkpoint {
        made_at: "2026-03-05T14:30:00Z".parse().expect("a time"),
        changes: vec![address("http://kept/", "in the checkpoint")],
    });
    // World 10 begins with the digits of world 1.
    for world in [1, 10] {
        first.add(sandbox(world)).expect("it is kept");
        keep(&first, world, vec![address("http://a/", "before")]);
    }
    let name = "one".to_owned();
    keep(&first, 1, vec![Change::PutCheckpoint { name, checkpoint }]);
    let keeper = first.keeper(1);
    let after = vec![address("http://b/", "after")];
    let number = (keeper.take)(ChangeBatch { is_reset: true, changes: after });
    assert_eq!((keeper.finish)(number), Ok(()));
    drop((first, keeper));
    let again = opened(place).sandboxes;
    let seen: Vec<_> = again.iter().map(|it| (it.0.key, keys(&it.1))).collect();
    let expected = [
        (1, vec!["address/http://b/".to_owned(), "checkpoint/one".to_owned()]),
        (10, vec!["address/http://a/".to_owned()]),
    ];
    assert_eq!(seen, expected);
}

fn entries_of_one_commit_apply_in_order(place: StorePlace<'_>) {
    let first = opened(place).durable;
    let keeper = first.keeper(0);
    let put = |text| ChangeBatch { is_reset: false, changes: vec![address("http://a/", text)] };
    let other = ChangeBatch { is_reset: false, changes: vec![address("http://b/", "gone")] };
    let reset = ChangeBatch { is_reset: true, changes: vec![address("http://c/", "new")] };
    (keeper.take)(put("1"));
    (keeper.take)(other);
    (keeper.take)(reset);
    (keeper.take)(put("2"));
    let number = (keeper.take)(put("3"));
    assert_eq!((keeper.finish)(number), Ok(()));
    drop((first, keeper));
    let changes = opened(place).changes;
    assert_eq!(rows(&changes), rows(&[address("http://a/", "3"), address("http://c/", "new")]));
}

fn an_entry_twice_changes_nothing(place: StorePlace<'_>) {
    let store = place();
    drop(open(store.clone(), &settings_with(1)).unwrap_or_else(|error| panic!("{error}")));
    let changes =
        [address("http://a/", "1"), Change::DeleteAddress { url: "http://b/".to_owned() }];
    let changed = || Entry::Changes {
        world: 0,
        noted: ChangeBatch { is_reset: true, changes: changes.to_vec() },
    };
    for entries in [vec![changed()], vec![changed(), changed()]] {
        let batch = KeyTable::default().batch(&entries);
        store.commit(&Arc::new(batch)).unwrap_or_else(|error| panic!("{error}"));
    }
    drop(store);
    assert_eq!(rows(&opened(place).changes), rows(&changes[..1]));
}

/// More than [`Spool`] keeps in memory, and more than one part of a stored document.
const LARGE_BYTES: usize = 600_000;

fn documents_come_back(place: StorePlace<'_>) {
    let first = opened(place).durable;
    let uploads = Store::within(first.uploads());
    let large: Vec<u8> = (0..LARGE_BYTES).map(|at| (at * at % 251) as u8).collect();
    let mut spool = Spool::new(&uploads);
    spool.write(&large).expect("a temporary file");
    let content = spool.finish().expect("a temporary file");
    assert!(matches!(content.place, ContentPlace::File { .. }));
    keep(&first, 0, vec![put_address("http://large/", Ok(content.clone()))]);
    keep(&first, 0, vec![put_address("http://twice/", Ok(content))]);
    keep(&first, 0, vec![address("http://small/", "small"), address("http://empty/", "")]);
    drop((first, uploads));
    // The second time only the store has them.
    for _ in 0..2 {
        let again = opened(place);
        let mut seen = BTreeMap::new();
        for change in &again.changes {
            let Change::PutAddress { url, response } = change else { panic!("{change:?}") };
            let bytes = match &response.content.as_ref().expect("a document").place {
                ContentPlace::Memory(bytes) => bytes.to_vec(),
                ContentPlace::File { path, .. } => std::fs::read(path).expect("a file"),
                ContentPlace::Apart => panic!("its bytes are nowhere"),
            };
            seen.insert(url.as_str(), bytes);
        }
        let expected = BTreeMap::from([
            ("http://empty/", Vec::new()),
            ("http://large/", large.clone()),
            ("http://small/", b"small".to_vec()),
            ("http://twice/", large.clone()),
        ]);
        assert!(seen == expected, "the documents differ: {:?}", seen.keys());
    }
}

fn unnamed_documents_are_removed(place: StorePlace<'_>) {
    let first = opened(place).durable;
    keep(&first, 0, vec![address("http://a/", "old"), address("http://b/", "new")]);
    keep(&first, 0, vec![Change::DeleteAddress { url: "http://a/".to_owned() }]);
    drop(first);
    drop(opened(place));
    let contents = place().read().unwrap_or_else(|error| panic!("{error}")).expect("it has data");
    let texts: Vec<&[u8]> = contents.documents.values().flatten().map(|it| &it[..]).collect();
    assert_eq!(texts, [b"new"]);
}

fn sandboxes_end_with_their_rows(place: StorePlace<'_>) {
    let first = opened(place).durable;
    for key in [1, 2, 3] {
        first.add(sandbox(key)).expect("it is kept");
        keep(&first, key, vec![address("http://a/", "1")]);
    }
    first.remove(3).expect("it is removed");
    // A writer that did not know of the deletion yet.
    keep(&first, 3, vec![address("http://late/", "1")]);
    first.remove(1).expect("it is removed");
    drop(first);
    for _ in 0..2 {
        let again = opened(place);
        let seen: Vec<_> = again.sandboxes.iter().map(|it| (it.0.key, keys(&it.1))).collect();
        assert_eq!(seen, [(2, vec!["address/http://a/".to_owned()])]);
        assert_eq!(again.sandboxes[0].0.settings.seed, 2);
        assert_eq!(again.durable.newest_sandbox(), 3, "no number is used twice");
    }
    let contents = place().read().unwrap_or_else(|error| panic!("{error}")).expect("it has data");
    let rows = contents.values.keys().filter(|key| matches!(key, StoreKey::Row(..)));
    assert_eq!(rows.count(), 1, "{:?}", contents.values.keys());
}

fn any_key_can_be_stored(place: StorePlace<'_>) {
    let urls = ["\0", "%_'\"\\", "x".repeat(10_000).as_str(), "é\u{10ffff}"].map(str::to_owned);
    let changes: Vec<Change> = urls.iter().map(|url| put_address(url, Err(404))).collect();
    let first = opened(place).durable;
    keep(&first, 0, changes.clone());
    drop(first);
    assert_eq!(rows(&opened(place).changes), rows(&changes));
}

fn writers_of_many_threads_lose_nothing(place: StorePlace<'_>) {
    const THREADS: usize = 8;
    const WRITES: usize = 20;
    let first = opened(place).durable;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let keeper = first.keeper(0);
            scope.spawn(move || {
                for write in 0..WRITES {
                    let changes = vec![put_address(&format!("{thread}/{write}"), Err(404))];
                    let number = (keeper.take)(ChangeBatch { is_reset: false, changes });
                    assert_eq!((keeper.finish)(number), Ok(()));
                }
            });
        }
    });
    drop(first);
    assert_eq!(opened(place).changes.len(), THREADS * WRITES);
}

/// Counts commits, and fails on demand.
#[derive(Default)]
struct WatchedStore {
    inner: MemoryStore,
    commits: AtomicU64,
    is_failing: AtomicBool,
}

impl RowStore for WatchedStore {
    fn read(&self) -> Result<Option<StoredData>, DurableError> {
        self.inner.read()
    }

    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        self.inner.document(digest)
    }

    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError> {
        if self.is_failing.load(Ordering::Relaxed) {
            return Err(self.damaged("it fails".to_owned()));
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.inner.commit(batch)
    }

    fn uploads(&self) -> std::path::PathBuf {
        self.inner.uploads()
    }

    fn damaged(&self, damage: String) -> DurableError {
        self.inner.damaged(damage)
    }
}

fn off() -> ChangeBatch {
    ChangeBatch { is_reset: false, changes: vec![Change::SetRateLimit(RateLimitMode::Off)] }
}

#[test]
fn entries_that_wait_together_are_one_commit() {
    let store = Arc::new(WatchedStore::default());
    let durable = open(store.clone(), &settings_with(1)).expect("memory").durable;
    let commits = || store.commits.load(Ordering::Relaxed);
    let keepers = [0, 0, 1, 2, 2].map(|world| durable.keeper(world));
    let numbers: Vec<u64> = keepers.iter().map(|keeper| (keeper.take)(off())).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    for (keeper, number) in keepers.iter().zip(numbers) {
        assert_eq!((keeper.finish)(number), Ok(()));
    }
    assert_eq!(commits(), 2, "the start and the changes");
    let keeper = &keepers[0];
    assert_eq!((keeper.finish)((keeper.take)(off())), Ok(()));
    assert_eq!(commits(), 3);
}

#[test]
fn after_a_failure_everything_is_committed_as_soon_as_possible() {
    let store = Arc::new(WatchedStore::default());
    let durable = open(store.clone(), &settings_with(1)).expect("memory").durable;
    let keeper = durable.keeper(0);
    let first = (keeper.take)(off());
    assert_eq!((keeper.finish)(first), Ok(()));
    store.is_failing.store(true, Ordering::Relaxed);
    assert_eq!((keeper.finish)(first), Ok(()), "a committed change stays committed");
    let second = (keeper.take)(off());
    assert!((keeper.finish)(second).is_err());
    let third = (keeper.take)(off());
    assert!((keeper.finish)(third).is_err());
    store.is_failing.store(false, Ordering::Relaxed);
    assert_eq!((keeper.finish)(second), Ok(()));
    assert_eq!((keeper.finish)(third), Ok(()));
    assert_eq!(store.commits.load(Ordering::Relaxed), 3, "both are in one commit after the start");
}
