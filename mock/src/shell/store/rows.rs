//! The tables of the redb database: values by key, and small documents by digest.

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

/// By the text of a [`StoreKey`]. Every format has its header in this table, so a file of another format can be named.
const VALUES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");
const DOCUMENTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("documents");
/// The key of the number of commits in [`VALUES`].
const COMMITS_KEY: &str = "commits";

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
    let stored = reading.open_table(VALUES)?;
    let header = stored.get(StoreKey::Header.to_string().as_str())?;
    let header = StoreHeader::read(header.as_ref().map_or(&[], |json| json.value()))?;
    let mut values = BTreeMap::new();
    for row in stored.iter()? {
        let (text, value) = row?;
        if text.value() != COMMITS_KEY {
            let unknown = || format!("its key `{}` is unknown", text.value());
            let key = StoreKey::read(text.value()).ok_or_else(unknown)?;
            values.insert(key, value.value().to_vec());
        }
    }
    let mut documents = BTreeMap::new();
    for document in reading.open_table(DOCUMENTS)?.iter()? {
        let (digest, bytes) = document?;
        let digest = digest.value().try_into().map_err(|_| "a digest has a wrong length")?;
        documents.insert(digest, Some(Bytes::copy_from_slice(bytes.value())));
    }
    Ok((StoredData { header, values, documents }, commits(&stored)?))
}

/// Commits a batch, and syncs it to the disk. Returns the number of the commit.
pub(super) fn commit(database: &Database, batch: &KeyBatch) -> Result<u64, Box<dyn Error>> {
    let writing = database.begin_write()?;
    let number = {
        let mut values = writing.open_table(VALUES)?;
        let mut documents = writing.open_table(DOCUMENTS)?;
        for (key, value) in &batch.values {
            put(&mut values, key.to_string().as_str(), value.as_deref())?;
        }
        for (digest, content) in &batch.documents {
            if let ContentPlace::Memory(bytes) = &content.place {
                put(&mut documents, &digest[..], Some(bytes))?;
            }
        }
        for digest in &batch.unused_documents {
            put(&mut documents, &digest[..], None)?;
        }
        let number = commits(&values)? + 1;
        put(&mut values, COMMITS_KEY, Some(&number.to_be_bytes()))?;
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

/// The number of commits before this one.
fn commits(
    values: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<u64, Box<dyn Error>> {
    let value = values.get(COMMITS_KEY)?;
    let bytes = value.and_then(|value| value.value().try_into().ok());
    Ok(bytes.map_or(0, u64::from_be_bytes))
}
