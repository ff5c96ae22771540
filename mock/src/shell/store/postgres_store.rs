//! The store in PostgreSQL.
//!
//! One statement is one commit. It writes only if this node still holds its epoch and the newest commit is
//! the one that this node made, so a node that was paused or cut off writes nothing. After anything
//! unclear the store takes nothing more: the node takes the lease anew and reads everything.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio_postgres::types::Type;

use super::documents;
use super::entry::{DataInUse, Entry, StoreContents, StoreHeader};
use super::error::DurableError;
use super::postgres_write::{digest_of_batch, key_of, key_text, write};
use super::row_store::RowStore;
use super::table::{KeyBatch, KeyTable, StoreKey};
use crate::service::NotKept;
use crate::shell::body::{Spool, Store};
use crate::shell::postgres::{
    DatabaseConnection, HeadRow, PostgresAddress, PostgresError, SqlParameter, Trust, connect,
};
use crate::value::message::content::ContentPlace;
use crate::value::message::json::json_bytes;
use crate::world::settings::Settings;

/// A document is stored in parts of this size. Smaller ones are read into memory.
const PART_BYTES: usize = 64 * 1024;
/// Parts of one statement.
const PARTS_MAX: usize = 64;
/// A statement that reads may take this long.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Parts of a document that no row names yet.
const PARTS: &str = "insert into moot_document (digest, part, bytes) \
                     select $1, new.part, new.bytes \
                     from unnest($2::int[], $3::bytea[]) as new(part, bytes) on conflict do nothing";
/// Removes documents, if this node still holds its epoch.
const SWEEP: &str = "with head as (
  select 1 from moot_head where epoch = $1 and holder = $2 for share
) delete from moot_document using head where moot_document.digest = any($3)";
const ROWS: &str = "select key, value from moot_row";
const SMALL_DOCUMENTS: &str = "select digest, bytes from moot_document where digest in \
                               (select digest from moot_document group by digest having max(part) = 0)";
const LARGE_DOCUMENTS: &str =
    "select digest from moot_document group by digest having max(part) > 0";
const DOCUMENT_PARTS: &str = "select bytes from moot_document where digest = $1 and part = $2";
const NEW_HEADER: &str = "insert into moot_row (id, key, value) values (sha256($1), $1, $2) \
                          on conflict (id) do nothing";
const HEADER_ROW: &str = "select value from moot_row where id = sha256($1)";

/// The data of all nodes, as the active one uses them.
pub(crate) struct PostgresStore {
    address: PostgresAddress,
    /// The runtime of the connections: callers may be on any thread.
    runtime: Handle,
    trust: Arc<Trust>,
    epoch: u64,
    holder: [u8; 16],
    state: Mutex<WriterState>,
    /// The newest commit that is known to have succeeded.
    committed: Mutex<HeadRow>,
    /// Documents that were read, as files.
    spool: Store,
}

struct WriterState {
    /// `None` after anything unclear.
    connection: Option<Arc<DatabaseConnection>>,
    head: HeadRow,
    table: KeyTable,
}

impl PostgresStore {
    /// The data, for the node that holds this head. Connects once.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub(crate) async fn open(
        address: &PostgresAddress,
        trust: Arc<Trust>,
        head: HeadRow,
    ) -> Result<Self, PostgresError> {
        let connection = connect(address, "write", address.lease.length).await?;
        let (epoch, holder) = (head.epoch, head.holder.unwrap_or_default());
        let (connection, table) = (Some(Arc::new(connection)), KeyTable::default());
        Ok(Self {
            address: address.clone(),
            runtime: Handle::current(),
            trust,
            epoch,
            holder,
            committed: Mutex::new(head.clone()),
            state: Mutex::new(WriterState { connection, head, table }),
            spool: Store::within(std::env::temp_dir()),
        })
    }

    /// The newest commit that is known to have succeeded. Does not wait for one that is under way.
    pub(crate) fn head(&self) -> HeadRow {
        self.committed.lock().clone()
    }

    /// Waits for work on the runtime of the connections.
    fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, PostgresError>> + Send + 'static,
    ) -> Result<T, PostgresError> {
        let (done, result) = std::sync::mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            let _ = done.send(work.await);
        });
        let ended = || PostgresError::Statement("the mock ends".to_owned());
        result.recv().unwrap_or_else(|_| Err(ended()))
    }

    fn read_rows(
        &self,
        statement: &'static str,
    ) -> Result<Vec<tokio_postgres::Row>, PostgresError> {
        let address = self.address.clone();
        self.wait(async move {
            connect(&address, "read", READ_TIMEOUT).await?.query(statement, &[]).await
        })
    }

    /// Commits a batch. Afterwards the store is either one commit further, or closed.
    fn commit(&self, state: &mut WriterState, batch: KeyBatch) -> Result<(), PostgresError> {
        // While a commit is under way it is unclear whether it succeeds.
        let Some(connection) = state.connection.take() else {
            return Err(PostgresError::Statement("this node has lost its lease".to_owned()));
        };
        for (digest, content) in &batch.documents {
            if let ContentPlace::File { path, .. } = &content.place {
                self.store_parts(&connection, *digest, path)?;
            }
        }
        let (before, holder) = (state.head.clone(), self.holder);
        let digest = digest_of_batch(&before.digest, &batch);
        let next = HeadRow { seq: before.seq + 1, digest, ..before.clone() };
        let (used, written) = (connection.clone(), next.clone());
        let (is_written, batch) = self.wait(async move {
            let is_written = write(&used, &before, &written, holder, &batch).await?;
            Ok((is_written, batch))
        })?;
        if !is_written {
            return Err(PostgresError::Statement("another node is active".to_owned()));
        }
        state.table.apply(batch);
        self.committed.lock().clone_from(&next);
        (state.head, state.connection) = (next, Some(connection));
        Ok(())
    }

    /// As [`Self::commit`], and tells the node if the store is closed now.
    fn commit_or_close(
        &self,
        state: &mut WriterState,
        batch: KeyBatch,
    ) -> Result<(), PostgresError> {
        let committed = self.commit(state, batch);
        if committed.is_err() {
            self.trust.end(self.epoch);
        }
        committed
    }

    /// Stores a large document, before a row names it.
    fn store_parts(
        &self,
        connection: &Arc<DatabaseConnection>,
        digest: [u8; 32],
        path: &std::path::Path,
    ) -> Result<(), PostgresError> {
        use std::io::Read;
        let failed = |error: std::io::Error| {
            PostgresError::Statement(format!("{}: {error}", path.display()))
        };
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let mut part: i32 = 0;
        loop {
            let mut bytes = Vec::with_capacity(PART_BYTES * PARTS_MAX);
            let limit = (PART_BYTES * PARTS_MAX) as u64;
            Read::by_ref(&mut file).take(limit).read_to_end(&mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                return Ok(());
            }
            let parts: Vec<Vec<u8>> = bytes.chunks(PART_BYTES).map(<[u8]>::to_vec).collect();
            let numbers: Vec<i32> = (part..).take(parts.len()).collect();
            part += i32::try_from(parts.len()).unwrap_or(i32::MAX);
            let used = connection.clone();
            self.wait(async move {
                let parameters: &[SqlParameter<'_>] = &[
                    (&&digest[..], Type::BYTEA),
                    (&numbers, Type::INT4_ARRAY),
                    (&parts, Type::BYTEA_ARRAY),
                ];
                used.query(PARTS, parameters).await
            })?;
        }
    }
}

impl RowStore for PostgresStore {
    fn read(&self) -> Result<Option<StoreContents>, DurableError> {
        let mut values = BTreeMap::<StoreKey, Vec<u8>>::new();
        for row in self.read_rows(ROWS)? {
            let bytes: &[u8] = row.get(0);
            let key = std::str::from_utf8(bytes).ok().and_then(key_of);
            let shown = || String::from_utf8_lossy(bytes).into_owned();
            let unknown = || self.damaged(format!("its key `{}` is unknown", shown()));
            values.insert(key.ok_or_else(unknown)?, row.get(1));
        }
        let Some(header) = values.get(&StoreKey::Header) else { return Ok(None) };
        let read = StoreHeader::read(header).and_then(|header| KeyTable::read(header, values));
        let (mut contents, mut table) = read.map_err(|what| self.damaged(what))?;
        let digest = |row: &tokio_postgres::Row| {
            let digest: Vec<u8> = row.get(0);
            let digest: Result<[u8; 32], _> = digest.try_into();
            digest.map_err(|_| self.damaged("a digest has another length".to_owned()))
        };
        for row in self.read_rows(SMALL_DOCUMENTS)? {
            let digest = digest(&row)?;
            table.documents.insert(digest);
            contents.documents.insert(digest, Bytes::from(row.get::<_, Vec<u8>>(1)));
        }
        for row in self.read_rows(LARGE_DOCUMENTS)? {
            table.documents.insert(digest(&row)?);
        }
        self.state.lock().table = table;
        Ok(Some(contents))
    }

    fn document(&self, digest: &[u8; 32]) -> Result<ContentPlace, DurableError> {
        let unwritten = |error| DurableError::io(&std::env::temp_dir())(error);
        let mut spool = Spool::new(&self.spool);
        let wanted = *digest;
        let address = self.address.clone();
        let connection =
            Arc::new(self.wait(async move { connect(&address, "document", READ_TIMEOUT).await })?);
        for part in 0.. {
            let used = connection.clone();
            let rows = self.wait(async move {
                let parameters: &[SqlParameter<'_>] =
                    &[(&&wanted[..], Type::BYTEA), (&part, Type::INT4)];
                used.query(DOCUMENT_PARTS, parameters).await
            })?;
            let Some(row) = rows.first() else { break };
            spool.write(row.get(0)).map_err(unwritten)?;
        }
        let content = spool.finish().map_err(unwritten)?;
        if content.digest() != Some(digest) {
            let name = documents::name(digest);
            return Err(self.damaged(format!("the document {name} is missing or has changed")));
        }
        Ok(content.place)
    }

    fn start(&self, header: &StoreHeader, in_use: &DataInUse) -> Result<(), DurableError> {
        let mut state = self.state.lock();
        let batch = state.table.start(header, in_use);
        let unused: Vec<Vec<u8>> =
            batch.unused_documents.iter().map(|digest| digest.to_vec()).collect();
        self.commit_or_close(&mut state, batch)?;
        if unused.is_empty() {
            return Ok(());
        }
        let connection = state
            .connection
            .clone()
            .ok_or_else(|| PostgresError::Statement("this node has lost its lease".to_owned()))?;
        let (epoch, holder) = (self.epoch.cast_signed(), self.holder);
        self.wait(async move {
            let parameters: &[SqlParameter<'_>] =
                &[(&epoch, Type::INT8), (&&holder[..], Type::BYTEA), (&unused, Type::BYTEA_ARRAY)];
            connection.query(SWEEP, parameters).await
        })?;
        Ok(())
    }

    fn keep(&self, entries: &[Entry]) -> Result<(), NotKept> {
        let mut state = self.state.lock();
        let batch = state.table.batch(entries);
        self.commit_or_close(&mut state, batch).map_err(|error| NotKept(error.to_string()))
    }

    fn uploads(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn may_act(&self) -> bool {
        self.trust.holds(self.epoch)
    }

    fn damaged(&self, what: String) -> DurableError {
        damaged(&self.address, what)
    }
}

/// The settings with the seed and the seed world of the data: of all nodes that start with an empty
/// database, the first one decides.
///
/// # Errors
/// [`DurableError`].
pub(crate) async fn agreed_settings(
    address: &PostgresAddress,
    connection: &DatabaseConnection,
    settings: Settings,
) -> Result<Settings, DurableError> {
    let proposed = StoreHeader::new(&settings, 0);
    let (key, json) = (key_text(&StoreKey::Header).into_bytes(), json_bytes(&proposed));
    connection.query(NEW_HEADER, &[(&key, Type::BYTEA), (&json, Type::BYTEA)]).await?;
    let rows = connection.query(HEADER_ROW, &[(&key, Type::BYTEA)]).await?;
    let damaged = |what| damaged(address, what);
    let row = rows.first().ok_or_else(|| damaged("its header is missing".to_owned()))?;
    let header = StoreHeader::read(row.get(0)).map_err(damaged)?;
    let (seed, seed_world) = (header.seed, Arc::new(header.seed_world));
    Ok(Settings { seed, seed_world, ..settings })
}

fn damaged(address: &PostgresAddress, what: String) -> DurableError {
    DurableError::DatabaseDamaged { address: address.to_string(), what }
}
