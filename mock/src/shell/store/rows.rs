//! The tables of the redb database: rows by world and key, small documents by digest, sandboxes, and a
//! header.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use redb::backends::InMemoryBackend;
use redb::{
    Database, Key, ReadableDatabase, ReadableTable, StorageBackend, Table, TableDefinition,
};

use super::header::StoreHeader;
use super::row_store::StoredData;
use super::table::{KeyBatch, StoreKey};
use crate::value::message::content::ContentPlace;
use crate::value::message::json::json_bytes;

/// A key has the number of the world and the key of [`crate::world::state::stored`], such as
/// `0/legal_request/42`.
const ROWS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("rows");
const DOCUMENTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("documents");
const SANDBOXES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("sandboxes");
const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
/// The key of the header.
const ABOUT_KEY: &str = "about";
/// The key of the number of commits.
const COMMITS_KEY: &str = "commits";
/// The key of the number of the newest sandbox. No number is used twice.
const MADE_KEY: &str = "made";

/// Reads a whole database and verifies its checksums. Returns the data and the number of commits. It reads a copy
/// in memory, because the verification repairs damage and so hides it.
pub(super) fn read(bytes: &[u8]) -> Result<(StoredData, u64), String> {
    // redb panics if a field without a checksum is damaged.
    catch_unwind(AssertUnwindSafe(|| checked(bytes).map_err(|error| error.to_string())))
        .unwrap_or_else(|_| Err("its structure is invalid".to_owned()))
}

fn checked(bytes: &[u8]) -> Result<(StoredData, u64), Box<dyn Error>> {
    if bytes.is_empty() {
        return Err("it is empty".into());
    }
    let backend = InMemoryBackend::new();
    backend.set_len(bytes.len() as u64)?;
    backend.write(0, bytes)?;
    let mut database = Database::builder().create_with_backend(backend)?;
    if !database.check_integrity()? {
        return Err("its checksums do not match".into());
    }
    let reading = database.begin_read()?;
    let about = reading.open_table(ABOUT)?;
    let header = about.get(ABOUT_KEY)?.map(|json| json.value().to_vec()).unwrap_or_default();
    let header = StoreHeader::read(&header)?;
    let made = json_bytes(&number(&about, MADE_KEY)?);
    let mut values = BTreeMap::from([(StoreKey::Made, made)]);
    for row in reading.open_table(ROWS)?.iter()? {
        let (text, value) = row?;
        let unknown = || format!("there is no row with the key `{}`", text.value());
        let (world, key) = text.value().split_once('/').ok_or_else(unknown)?;
        let world = world.parse().map_err(|_| unknown())?;
        values.insert(StoreKey::Row(world, key.to_owned()), value.value().to_vec());
    }
    for row in reading.open_table(SANDBOXES)?.iter()? {
        let (world, json) = row?;
        values.insert(StoreKey::Sandbox(world.value()), json.value().to_vec());
    }
    let mut documents = BTreeMap::new();
    for document in reading.open_table(DOCUMENTS)?.iter()? {
        let (digest, bytes) = document?;
        let digest = digest.value().try_into().map_err(|_| "a digest has a wrong length")?;
        documents.insert(digest, Some(Bytes::copy_from_slice(bytes.value())));
    }
    Ok((StoredData { header, values, documents }, number(&about, COMMITS_KEY)?))
}

/// Commits a batch, and syncs it to the disk. Returns the number of the commit.
pub(super) fn commit(database: &Database, batch: &KeyBatch) -> Result<u64, Box<dyn Error>> {
    let writing = database.begin_write()?;
    let number = {
        let mut rows = writing.open_table(ROWS)?;
        let mut documents = writing.open_table(DOCUMENTS)?;
        let mut sandboxes = writing.open_table(SANDBOXES)?;
        let mut about = writing.open_table(ABOUT)?;
        for (key, value) in &batch.values {
            let value = value.as_deref();
            match key {
                StoreKey::Header => put(&mut about, ABOUT_KEY, value)?,
                StoreKey::Made => {
                    let made: Option<u64> = value.map(serde_json::from_slice).transpose()?;
                    let bytes = made.map(u64::to_be_bytes);
                    put(&mut about, MADE_KEY, bytes.as_ref().map(|bytes| &bytes[..]))?;
                }
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

/// Puts a value, or removes the key if the value is `None`.
fn put<'k, K: Key + 'static>(
    table: &mut Table<'_, K, &'static [u8]>,
    key: impl Borrow<K::SelfType<'k>>,
    value: Option<&[u8]>,
) -> Result<(), Box<dyn Error>> {
    match value {
        Some(value) => table.insert(key, value)?,
        None => table.remove(key)?,
    };
    Ok(())
}

/// A number of [`ABOUT`]; 0 if it was never written.
fn number(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    key: &str,
) -> Result<u64, Box<dyn Error>> {
    let value = table.get(key)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    Ok(bytes.map_or(0, u64::from_be_bytes))
}
