//! Reads a whole database before anything of it is changed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use redb::backends::InMemoryBackend;
use redb::{Database, ReadableDatabase, ReadableTable, StorageBackend};

use super::entry::{StoreContents, StoreHeader};
use super::rows::{
    ABOUT, ABOUT_KEY, COMMITS_KEY, DEFINITIONS, DOCUMENTS, Failure, MADE_KEY, ROWS, SANDBOXES,
    number,
};
use super::table::{KeyTable, StoreKey};
use crate::value::message::json::json_bytes;
use crate::world::state::stored::StoredError;

/// Reads a whole database, and verifies its checksums: its contents, the table for its next changes, and the
/// number of its commits. This works on a copy in memory, because the verification would repair damage, and
/// so hide it.
pub(super) fn read(bytes: &[u8]) -> Result<(StoreContents, KeyTable, u64), String> {
    // redb panics if a field without a checksum is damaged.
    catch_unwind(AssertUnwindSafe(|| checked(bytes).map_err(|error| error.to_string())))
        .unwrap_or_else(|_| Err("its structure is invalid".to_owned()))
}

fn checked(bytes: &[u8]) -> Result<(StoreContents, KeyTable, u64), Failure> {
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
        let unknown = || StoredError::Key(text.value().to_owned());
        let (world, key) = text.value().split_once('/').ok_or_else(unknown)?;
        let world = world.parse().map_err(|_| unknown())?;
        values.insert(StoreKey::Row(world, key.to_owned()), value.value().to_vec());
    }
    for row in reading.open_table(SANDBOXES)?.iter()? {
        let (world, json) = row?;
        values.insert(StoreKey::Sandbox(world.value()), json.value().to_vec());
    }
    for row in reading.open_table(DEFINITIONS)?.iter()? {
        let (digest, json) = row?;
        values.insert(StoreKey::Definition(digest.value()), json.value().to_vec());
    }
    let (mut contents, mut table) = KeyTable::read(header, values)?;
    for document in reading.open_table(DOCUMENTS)?.iter()? {
        let (digest, bytes) = document?;
        let digest = digest.value().try_into().map_err(|_| "a digest has another length")?;
        table.documents.insert(digest);
        contents.documents.insert(digest, Bytes::copy_from_slice(bytes.value()));
    }
    Ok((contents, table, number(&about, COMMITS_KEY)?))
}
