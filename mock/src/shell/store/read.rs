//! Reads a whole database before anything of it is changed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use redb::backends::InMemoryBackend;
use redb::{Database, ReadableDatabase, ReadableTable, StorageBackend};

use super::entry::{StoreContents, StoreHeader};
use super::rows::{
    ABOUT, ABOUT_KEY, DEFINITIONS, DOCUMENTS, Failure, ROWS, SANDBOXES, boxed, commits, made,
};
use super::sandbox_row::Definitions;

/// Reads a whole database and the number of its commits, and verifies its checksums. This works on a
/// copy in memory, because the verification would repair damage, and so hide it.
pub(super) fn read(bytes: &[u8]) -> Result<(StoreContents, u64), String> {
    // redb panics if a field without a checksum is damaged.
    catch_unwind(AssertUnwindSafe(|| checked(bytes)))
        .unwrap_or_else(|_| Err("its structure is invalid".to_owned()))
}

fn checked(bytes: &[u8]) -> Result<(StoreContents, u64), String> {
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
    let json = header_json(&database).map_err(|error| error.to_string())?;
    let header = StoreHeader::read(&json)?;
    let commits = commit_number(&database).map_err(|error| error.to_string())?;
    let contents = rows(&database, header).map_err(|error| error.to_string())??;
    Ok((contents, commits))
}

fn commit_number(database: &Database) -> Result<u64, Failure> {
    let reading = database.begin_read().map_err(boxed)?;
    commits(&reading.open_table(ABOUT).map_err(boxed)?)
}

fn header_json(database: &Database) -> Result<Vec<u8>, Failure> {
    let reading = database.begin_read().map_err(boxed)?;
    let table = reading.open_table(ABOUT).map_err(boxed)?;
    let json = table.get(ABOUT_KEY).map_err(boxed)?;
    Ok(json.map(|json| json.value().to_vec()).unwrap_or_default())
}

/// The content of a database; the inner error is that of a sandbox.
fn rows(
    database: &Database,
    header: StoreHeader,
) -> Result<Result<StoreContents, String>, Failure> {
    let reading = database.begin_read().map_err(boxed)?;
    let table = reading.open_table(ABOUT).map_err(boxed)?;
    let mut contents = StoreContents {
        header,
        made: made(&table)?,
        sandboxes: BTreeMap::new(),
        definitions: Definitions::new(),
        rows: BTreeMap::new(),
        documents: BTreeMap::new(),
    };
    for row in reading.open_table(ROWS).map_err(boxed)?.iter().map_err(boxed)? {
        let (key, value) = row.map_err(boxed)?;
        contents.rows.insert(key.value().to_owned(), value.value().to_vec());
    }
    for row in reading.open_table(SANDBOXES).map_err(boxed)?.iter().map_err(boxed)? {
        let (key, json) = row.map_err(boxed)?;
        match serde_json::from_slice(json.value()) {
            Ok(sandbox) => contents.sandboxes.insert(key.value(), sandbox),
            Err(error) => return Ok(Err(format!("a sandbox of it can't be read: {error}"))),
        };
    }
    for row in reading.open_table(DEFINITIONS).map_err(boxed)?.iter().map_err(boxed)? {
        let (digest, json) = row.map_err(boxed)?;
        contents.definitions.insert(digest.value(), json.value().to_vec());
    }
    for document in reading.open_table(DOCUMENTS).map_err(boxed)?.iter().map_err(boxed)? {
        let (digest, bytes) = document.map_err(boxed)?;
        contents.documents.insert(digest.value().to_vec(), Bytes::copy_from_slice(bytes.value()));
    }
    Ok(Ok(contents))
}
