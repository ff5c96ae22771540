//! The tables of the database: rows by world and key, small documents by digest, sandboxes, and a
//! header.

use std::borrow::Borrow;
use std::error::Error;
use std::path::Path;

use redb::{Database, Key, ReadableTable, Table, TableDefinition};

use super::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;

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
pub(super) const COMMITS_KEY: &str = "commits";
/// The key of the number of the newest sandbox. No number is used twice.
pub(super) const MADE_KEY: &str = "made";

/// An error of redb, or damage.
pub(super) type Failure = Box<dyn Error>;

/// Opens a database. [`super::read`] has verified it.
pub(super) fn open(path: &Path) -> Result<Database, Failure> {
    Ok(Database::open(path)?)
}

/// Commits a batch, and syncs it to the disk. Returns the number of the commit.
pub(super) fn commit(database: &Database, batch: &KeyBatch) -> Result<u64, Failure> {
    let writing = database.begin_write()?;
    let number = {
        let mut rows = writing.open_table(ROWS)?;
        let mut documents = writing.open_table(DOCUMENTS)?;
        let mut sandboxes = writing.open_table(SANDBOXES)?;
        let mut definitions = writing.open_table(DEFINITIONS)?;
        let mut about = writing.open_table(ABOUT)?;
        for (key, value) in &batch.values {
            let value = value.as_deref();
            match key {
                StoreKey::Header => put(&mut about, ABOUT_KEY, value)?,
                StoreKey::Made => put(&mut about, MADE_KEY, Some(&batch.made.to_be_bytes()))?,
                StoreKey::Definition(digest) => put(&mut definitions, digest, value)?,
                StoreKey::Sandbox(world) => put(&mut sandboxes, world, value)?,
                StoreKey::Row(world, key) => {
                    put(&mut rows, format!("{world}/{key}").as_str(), value)?;
                }
            }
        }
        for (digest, content) in &batch.documents {
            if let ContentPlace::Memory(bytes) = &content.place {
                put(&mut documents, &digest[..], Some(bytes))?;
            }
        }
        for digest in &batch.unused_documents {
            put(&mut documents, &digest[..], None)?;
        }
        let number = number(&about, COMMITS_KEY)? + 1;
        put(&mut about, COMMITS_KEY, Some(&number.to_be_bytes()))?;
        number
    };
    writing.commit()?;
    Ok(number)
}

/// Puts a value, or removes it where it is `None`.
fn put<'k, K: Key + 'static>(
    table: &mut Table<'_, K, &'static [u8]>,
    key: impl Borrow<K::SelfType<'k>>,
    value: Option<&[u8]>,
) -> Result<(), Failure> {
    match value {
        Some(value) => table.insert(key, value)?,
        None => table.remove(key)?,
    };
    Ok(())
}

/// A number of [`ABOUT`]; 0 if it was never written.
pub(super) fn number(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    key: &str,
) -> Result<u64, Failure> {
    let value = table.get(key)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    Ok(bytes.map_or(0, u64::from_be_bytes))
}
