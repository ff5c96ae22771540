//! The database: rows by key, small documents by digest, and what the state is of.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use moot_fixtures::world::SeedWorld;
use redb::backends::InMemoryBackend;
use redb::{
    Database, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition, WriteTransaction,
};
use serde::{Deserialize, Serialize};

use crate::call::ContentPlace;
use crate::stored::{self, Row};
use crate::world::Noted;

const ROWS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("rows");
const DOCUMENTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("documents");
const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
/// The row of [`ABOUT`] that says it.
const ABOUT_KEY: &str = "about";
/// The number of the newest commit, beside it.
const COMMITS_KEY: &str = "commits";

/// The form of the rows; another one is not read.
pub(super) const FORMAT: u32 = 1;

/// What the state is of.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct About {
    pub(super) format: u32,
    pub(super) seed: u64,
    pub(super) seed_world: SeedWorld,
    /// Starts so far, this one included.
    pub(super) starts: u64,
}

/// Everything that a database held.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) about: About,
    /// Commits so far.
    pub(super) commits: u64,
    pub(super) rows: BTreeMap<String, Vec<u8>>,
    pub(super) documents: BTreeMap<Vec<u8>, Bytes>,
}

/// A large error of redb's in little room.
type Failure = Box<redb::Error>;

/// Makes a database without rows.
pub(super) fn create(path: &Path, about: &About) -> Result<Database, Failure> {
    let database = Database::create(path).map_err(boxed)?;
    let writing = begin(&database)?;
    writing.open_table(ROWS).map_err(boxed)?;
    writing.open_table(DOCUMENTS).map_err(boxed)?;
    put_about(&writing, about)?;
    commit(writing)?;
    Ok(database)
}

/// Opens a database that was read before.
pub(super) fn open(path: &Path) -> Result<Database, Failure> {
    Database::open(path).map_err(boxed)
}

/// Reads a database whole, every checksum of it, from a copy in memory: checking would repair, and
/// so hide, what is damaged.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Held, String> {
    // redb trusts some fields that no checksum covers.
    catch_unwind(AssertUnwindSafe(|| checked(bytes)))
        .unwrap_or_else(|_| Err("its structure makes no sense".to_owned()))
}

fn checked(bytes: &[u8]) -> Result<Held, String> {
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    let backend = InMemoryBackend::new();
    backend
        .set_len(bytes.len() as u64)
        .and_then(|()| backend.write(0, bytes))
        .map_err(|error| error.to_string())?;
    let mut database =
        Database::builder().create_with_backend(backend).map_err(|error| error.to_string())?;
    match database.check_integrity() {
        Ok(true) => {}
        Ok(false) => return Err("its checksums do not match".to_owned()),
        Err(error) => return Err(error.to_string()),
    }
    let held = held(&database).map_err(|error| error.to_string())?;
    let about: About = serde_json::from_slice(&held.about)
        .map_err(|error| format!("what it is about can't be read: {error}"))?;
    if about.format != FORMAT {
        return Err(format!("its format is {}, and this version reads {FORMAT}", about.format));
    }
    Ok(Held { about, commits: held.commits, rows: held.rows, documents: held.documents })
}

struct Raw {
    about: Vec<u8>,
    commits: u64,
    rows: BTreeMap<String, Vec<u8>>,
    documents: BTreeMap<Vec<u8>, Bytes>,
}

fn held(database: &Database) -> Result<Raw, Failure> {
    let reading = database.begin_read().map_err(boxed)?;
    let table = reading.open_table(ABOUT).map_err(boxed)?;
    let about = table.get(ABOUT_KEY).map_err(boxed)?;
    let mut raw = Raw {
        about: about.map(|about| about.value().to_vec()).unwrap_or_default(),
        commits: commits(&table)?,
        rows: BTreeMap::new(),
        documents: BTreeMap::new(),
    };
    for row in reading.open_table(ROWS).map_err(boxed)?.iter().map_err(boxed)? {
        let (key, value) = row.map_err(boxed)?;
        raw.rows.insert(key.value().to_owned(), value.value().to_vec());
    }
    for document in reading.open_table(DOCUMENTS).map_err(boxed)?.iter().map_err(boxed)? {
        let (digest, bytes) = document.map_err(boxed)?;
        raw.documents.insert(digest.value().to_vec(), Bytes::copy_from_slice(bytes.value()));
    }
    Ok(raw)
}

/// Notes one more start, and forgets the documents that no row names; gives the commit's number.
pub(super) fn start(
    database: &Database,
    about: &About,
    named: &BTreeSet<[u8; 32]>,
) -> Result<u64, Failure> {
    let writing = begin(database)?;
    put_about(&writing, about)?;
    {
        let mut documents = writing.open_table(DOCUMENTS).map_err(boxed)?;
        let is_named =
            |digest: &[u8]| digest.try_into().is_ok_and(|digest: [u8; 32]| named.contains(&digest));
        documents.retain(|digest, _| is_named(digest)).map_err(boxed)?;
    }
    commit(writing)
}

/// Keeps changes, durably and all or nothing; gives the commit's number.
pub(super) fn keep(database: &Database, noted: &Noted) -> Result<u64, Failure> {
    let writing = begin(database)?;
    {
        let mut rows = writing.open_table(ROWS).map_err(boxed)?;
        let mut documents = writing.open_table(DOCUMENTS).map_err(boxed)?;
        if noted.is_reset {
            rows.retain(|_, _| false).map_err(boxed)?;
        }
        for Row { key, value, contents } in noted.changes.iter().flat_map(stored::rows) {
            for content in contents {
                if let ContentPlace::Memory(bytes) = &content.place
                    && documents.get(&content.digest[..]).map_err(boxed)?.is_none()
                {
                    documents.insert(&content.digest[..], &bytes[..]).map_err(boxed)?;
                }
            }
            match value {
                Some(value) => rows.insert(key.as_str(), &value[..]).map_err(boxed)?,
                None => rows.remove(key.as_str()).map_err(boxed)?,
            };
        }
    }
    commit(writing)
}

fn begin(database: &Database) -> Result<WriteTransaction, Failure> {
    database.begin_write().map_err(boxed)
}

/// Commits durably; gives the number of this commit.
fn commit(writing: WriteTransaction) -> Result<u64, Failure> {
    let number = {
        let mut table = writing.open_table(ABOUT).map_err(boxed)?;
        let number = commits(&table)? + 1;
        table.insert(COMMITS_KEY, &number.to_be_bytes()[..]).map_err(boxed)?;
        number
    };
    writing.commit().map_err(boxed)?;
    Ok(number)
}

fn commits(table: &impl ReadableTable<&'static str, &'static [u8]>) -> Result<u64, Failure> {
    let value = table.get(COMMITS_KEY).map_err(boxed)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    Ok(bytes.map_or(0, u64::from_be_bytes))
}

fn put_about(writing: &WriteTransaction, about: &About) -> Result<(), Failure> {
    let json = crate::rendered::json_bytes(about);
    let mut table = writing.open_table(ABOUT).map_err(boxed)?;
    table.insert(ABOUT_KEY, &json[..]).map_err(boxed)?;
    Ok(())
}

fn boxed(error: impl Into<redb::Error>) -> Failure {
    Box::new(error.into())
}
