//! The tables of the database: rows by world and key, small documents by digest, sandboxes, and a
//! header.

use std::ops::Range;
use std::path::Path;

use redb::{Database, ReadableTable, TableDefinition, WriteTransaction};

use super::entry::{DataInUse, Entry, StoreHeader, split};
use super::sandbox_row::{Definitions, SandboxRow};
use crate::value::message::content::ContentPlace;
use crate::value::message::json::json_bytes;
use crate::world::state::stored::{self, StoredRow};

/// Keys have the number of the world and the key of [`crate::world::state::stored`], such as
/// `0/legal_request/42`.
pub(super) const ROWS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("rows");
pub(super) const DOCUMENTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("documents");
pub(super) const SANDBOXES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("sandboxes");
/// Seed worlds and answers of sandboxes.
pub(super) const DEFINITIONS: TableDefinition<'_, [u8; 32], &[u8]> =
    TableDefinition::new("definitions");
pub(super) const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
/// The key of the header.
pub(super) const ABOUT_KEY: &str = "about";
/// The key of the number of commits.
const COMMITS_KEY: &str = "commits";
/// The key of the number of the newest sandbox. No number is used twice.
const MADE_KEY: &str = "made";

/// An error of redb, boxed because it is large.
pub(super) type Failure = Box<redb::Error>;

/// Creates a database without rows.
pub(super) fn create(path: &Path, header: &StoreHeader) -> Result<Database, Failure> {
    let database = Database::create(path).map_err(boxed)?;
    let writing = begin(&database)?;
    writing.open_table(ROWS).map_err(boxed)?;
    writing.open_table(DOCUMENTS).map_err(boxed)?;
    writing.open_table(SANDBOXES).map_err(boxed)?;
    writing.open_table(DEFINITIONS).map_err(boxed)?;
    put_header(&writing, header)?;
    commit(writing)?;
    Ok(database)
}

/// Opens a database. [`super::read`] has verified it.
pub(super) fn open(path: &Path) -> Result<Database, Failure> {
    Database::open(path).map_err(boxed)
}

/// Records a start and removes unused data. Returns the number of the commit.
pub(super) fn start(
    database: &Database,
    header: &StoreHeader,
    in_use: &DataInUse,
) -> Result<u64, Failure> {
    let writing = begin(database)?;
    put_header(&writing, header)?;
    {
        let mut rows = writing.open_table(ROWS).map_err(boxed)?;
        let is_of_world =
            |key: &str| split(key).is_some_and(|(world, _)| in_use.worlds.contains(&world));
        rows.retain(|key, _| is_of_world(key)).map_err(boxed)?;
        let mut definitions = writing.open_table(DEFINITIONS).map_err(boxed)?;
        definitions.retain(|digest, _| in_use.definitions.contains(&digest)).map_err(boxed)?;
        let mut documents = writing.open_table(DOCUMENTS).map_err(boxed)?;
        let is_named = |digest: &[u8]| {
            digest.try_into().is_ok_and(|digest: [u8; 32]| in_use.documents.contains(&digest))
        };
        documents.retain(|digest, _| is_named(digest)).map_err(boxed)?;
    }
    commit(writing)
}

/// Stores these entries in order, in one commit that is synced to the disk. Returns its number.
pub(super) fn keep(database: &Database, entries: &[Entry]) -> Result<u64, Failure> {
    let writing = begin(database)?;
    for entry in entries {
        match entry {
            Entry::Changes { world, is_reset, rows } => {
                keep_rows(&writing, *world, *is_reset, rows)?;
            }
            Entry::Sandbox { world, row, definitions } => {
                keep_sandbox(&writing, *world, row, definitions)?;
            }
            Entry::End { world } => {
                writing.open_table(SANDBOXES).map_err(boxed)?.remove(world).map_err(boxed)?;
                remove_rows(&writing, *world, |_| false)?;
            }
        }
    }
    commit(writing)
}

fn keep_rows(
    writing: &WriteTransaction,
    world: u64,
    is_reset: bool,
    changed: &[StoredRow],
) -> Result<(), Failure> {
    if is_reset {
        remove_rows(writing, world, stored::survives_reset)?;
    }
    let mut rows = writing.open_table(ROWS).map_err(boxed)?;
    let mut documents = writing.open_table(DOCUMENTS).map_err(boxed)?;
    for StoredRow { key, value, contents } in changed {
        for content in contents {
            if let (ContentPlace::Memory(bytes), Some(digest)) = (&content.place, content.digest())
                && documents.get(&digest[..]).map_err(boxed)?.is_none()
            {
                documents.insert(&digest[..], &bytes[..]).map_err(boxed)?;
            }
        }
        let key = format!("{world}/{key}");
        match value {
            Some(value) => rows.insert(key.as_str(), &value[..]).map_err(boxed)?,
            None => rows.remove(key.as_str()).map_err(boxed)?,
        };
    }
    Ok(())
}

/// Removes the rows of a world, but for those whose key is to stay.
fn remove_rows(
    writing: &WriteTransaction,
    world: u64,
    stays: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let mut rows = writing.open_table(ROWS).map_err(boxed)?;
    let Range { start, end } = keys(world);
    let is_kept = |key: &str| split(key).is_some_and(|(_, key)| stays(key));
    rows.retain_in(start.as_str()..end.as_str(), |key, _| is_kept(key)).map_err(boxed)
}

/// The range of a world's keys. The character after `/` is `0`.
fn keys(world: u64) -> Range<String> {
    format!("{world}/")..format!("{world}0")
}

fn keep_sandbox(
    writing: &WriteTransaction,
    world: u64,
    row: &SandboxRow,
    definitions: &Definitions,
) -> Result<(), Failure> {
    let mut table = writing.open_table(DEFINITIONS).map_err(boxed)?;
    for (digest, json) in definitions {
        table.insert(digest, &json[..]).map_err(boxed)?;
    }
    let mut sandboxes = writing.open_table(SANDBOXES).map_err(boxed)?;
    sandboxes.insert(world, &json_bytes(row)[..]).map_err(boxed)?;
    let mut header = writing.open_table(ABOUT).map_err(boxed)?;
    let newest = made(&header)?.max(world);
    header.insert(MADE_KEY, &newest.to_be_bytes()[..]).map_err(boxed)?;
    Ok(())
}

fn begin(database: &Database) -> Result<WriteTransaction, Failure> {
    database.begin_write().map_err(boxed)
}

/// Commits and syncs to the disk. Returns the number of the commit.
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

/// The number of the newest commit.
pub(super) fn commits(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<u64, Failure> {
    number(table, COMMITS_KEY)
}

/// The number of the newest sandbox.
pub(super) fn made(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<u64, Failure> {
    number(table, MADE_KEY)
}

/// 0 if the number was never written.
fn number(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    key: &str,
) -> Result<u64, Failure> {
    let value = table.get(key).map_err(boxed)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    Ok(bytes.map_or(0, u64::from_be_bytes))
}

fn put_header(writing: &WriteTransaction, header: &StoreHeader) -> Result<(), Failure> {
    let json = json_bytes(header);
    let mut table = writing.open_table(ABOUT).map_err(boxed)?;
    table.insert(ABOUT_KEY, &json[..]).map_err(boxed)?;
    Ok(())
}

pub(super) fn boxed(error: impl Into<redb::Error>) -> Failure {
    Box::new(error.into())
}
