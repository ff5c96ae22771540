//! The store in PostgreSQL.
//!
//! A commit is one statement. It writes only if this node still holds its epoch, and the newest commit is the one
//! that this node made. So a node that was paused or disconnected writes nothing. After a failure the store is
//! closed for good: the node takes the lease anew and reads all data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio_postgres::types::Type;

use super::error::DurableError;
use super::header::StoreHeader;
use super::postgres_write::{digest_of_batch, write};
use super::row_store::{RowStore, StoredData};
use super::table::{KeyBatch, StoreKey};
use crate::shell::body::{Spool, Store};
use crate::shell::postgres::{
    DatabaseConnection, HeadRow, PostgresAddress, PostgresError, SqlParameter, Trust, connect,
};
use crate::value::message::content::{ContentPlace, hex};
use crate::value::message::json::json_bytes;
use crate::world::settings::Settings;

/// The size of the parts of a document. A document of one part is read into memory.
const PART_BYTES: usize = 64 * 1024;
/// The largest number of parts in one statement.
const PARTS_MAX: usize = 64;
/// Timeout of a statement that reads.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Inserts parts of a document, before a row refers to it.
const PARTS: &str = "insert into moot_document (digest, part, bytes) \
                     select $1, new.part, new.bytes \
                     from unnest($2::int[], $3::bytea[]) as new(part, bytes) on conflict do nothing";
/// Removes documents, if this node still holds its epoch.
const SWEEP: &str = "with head as (
  select 1 from moot_head where epoch = $1 and holder = $2 for share
) delete from moot_document using head where moot_document.digest = any($3)";
const ROWS: &str = "select key, value from moot_row";
/// All digests, with the bytes of documents of one part.
const DOCUMENTS: &str = "select digest, case when max(part) = 0 then (
  select bytes from moot_document as small where small.digest = every.digest
) end from moot_document as every group by digest";
const DOCUMENT_PARTS: &str = "select bytes from moot_document where digest = $1 and part = $2";
const NEW_HEADER: &str = "insert into moot_row (id, key, value) values (sha256($1), $1, $2) \
                          on conflict (id) do nothing";
const HEADER_ROW: &str = "select value from moot_row where id = sha256($1)";

/// The shared data, as the active node uses them.
pub(crate) struct PostgresStore {
    address: PostgresAddress,
    /// The runtime of the connections. Callers may be on any thread.
    runtime: Handle,
    trust: Arc<Trust>,
    /// For commits; `None` during a commit, and after a failed one.
    connection: Mutex<Option<Arc<DatabaseConnection>>>,
    /// The newest commit that is known to have succeeded.
    committed: Mutex<HeadRow>,
    /// Files of the large documents that were read.
    spool: Store,
}

impl PostgresStore {
    /// Opens the data for the node that holds this head.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub(crate) async fn open(
        address: &PostgresAddress,
        trust: Arc<Trust>,
        head: HeadRow,
    ) -> Result<Self, PostgresError> {
        let connection = connect(address, "write", address.lease.length).await?;
        Ok(Self {
            address: address.clone(),
            runtime: Handle::current(),
            trust,
            connection: Mutex::new(Some(Arc::new(connection))),
            committed: Mutex::new(head),
            spool: Store::within(std::env::temp_dir()),
        })
    }

    /// The newest commit that is known to have succeeded. Does not wait for a running commit.
    pub(crate) fn head(&self) -> HeadRow {
        self.committed.lock().clone()
    }

    /// Runs work on the runtime of the connections, and waits for it.
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

    /// Commits a batch. After an error the store is closed.
    fn try_commit(&self, batch: &Arc<KeyBatch>) -> Result<(), PostgresError> {
        // The connection is put back only after a success, so that any early return closes the store.
        let mut slot = self.connection.lock();
        let Some(connection) = slot.take() else {
            return Err(PostgresError::Statement("this node has lost its lease".to_owned()));
        };
        for (digest, content) in &batch.documents {
            if let ContentPlace::File { path, .. } = &content.place {
                self.store_parts(&connection, *digest, path)?;
            }
        }
        let before = self.head();
        let digest = digest_of_batch(&before.digest, batch);
        let next = HeadRow { seq: before.seq + 1, digest, ..before.clone() };
        let (used, written, new) = (connection.clone(), next.clone(), batch.clone());
        let is_written = self.wait(async move { write(&used, &before, &written, &new).await })?;
        if !is_written {
            return Err(PostgresError::Statement("another node is active".to_owned()));
        }
        *self.committed.lock() = next;
        self.sweep(&connection, &batch.unused_documents)?;
        *slot = Some(connection);
        Ok(())
    }

    /// Removes documents, if this node still holds its epoch.
    fn sweep(
        &self,
        connection: &Arc<DatabaseConnection>,
        digests: &[[u8; 32]],
    ) -> Result<(), PostgresError> {
        if digests.is_empty() {
            return Ok(());
        }
        let unused: Vec<Vec<u8>> = digests.iter().map(|digest| digest.to_vec()).collect();
        let HeadRow { epoch, holder, .. } = self.head();
        let used = connection.clone();
        self.wait(async move {
            let (epoch, holder) = (epoch.cast_signed(), holder.unwrap_or_default());
            let parameters: &[SqlParameter<'_>] =
                &[(&epoch, Type::INT8), (&&holder[..], Type::BYTEA), (&unused, Type::BYTEA_ARRAY)];
            used.query(SWEEP, parameters).await
        })?;
        Ok(())
    }

    /// Stores a large document, before a row refers to it.
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
    fn read(&self) -> Result<Option<StoredData>, DurableError> {
        let mut values = BTreeMap::<StoreKey, Vec<u8>>::new();
        for row in self.read_rows(ROWS)? {
            let bytes: &[u8] = row.get(0);
            let key = std::str::from_utf8(bytes).ok().and_then(StoreKey::read);
            let shown = || String::from_utf8_lossy(bytes).into_owned();
            let unknown = || self.damaged(format!("its key `{}` is unknown", shown()));
            values.insert(key.ok_or_else(unknown)?, row.get(1));
        }
        let Some(header) = values.get(&StoreKey::Header) else { return Ok(None) };
        let header = StoreHeader::read(header).map_err(|damage| self.damaged(damage))?;
        let mut documents = BTreeMap::new();
        for row in self.read_rows(DOCUMENTS)? {
            let digest: Result<[u8; 32], _> = row.get::<_, &[u8]>(0).try_into();
            let digest =
                digest.map_err(|_| self.damaged("a digest has a wrong length".to_owned()))?;
            documents.insert(digest, row.get::<_, Option<Vec<u8>>>(1).map(Bytes::from));
        }
        Ok(Some(StoredData { header, values, documents }))
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
        if content.digest != *digest {
            let name = hex(digest);
            return Err(self.damaged(format!("the document {name} is missing or has changed")));
        }
        Ok(content.place)
    }

    /// After a failure also ends the trust of this node, because the outcome of the commit is unclear.
    fn commit(&self, batch: &Arc<KeyBatch>) -> Result<(), DurableError> {
        let committed = self.try_commit(batch);
        if committed.is_err() {
            self.trust.end(self.head().epoch);
        }
        Ok(committed?)
    }

    fn uploads(&self) -> PathBuf {
        std::env::temp_dir()
    }

    fn may_act(&self) -> bool {
        self.trust.holds(self.head().epoch)
    }

    fn damaged(&self, damage: String) -> DurableError {
        damaged(&self.address, damage)
    }
}

/// The settings with the seed and the seed world of the data. If the database is empty, the first node that
/// starts decides on both.
///
/// # Errors
/// [`DurableError`].
pub(crate) async fn agreed_settings(
    address: &PostgresAddress,
    connection: &DatabaseConnection,
    settings: Settings,
) -> Result<Settings, DurableError> {
    let proposed = StoreHeader::new(&settings);
    let (key, json) = (StoreKey::Header.to_string().into_bytes(), json_bytes(&proposed));
    connection.query(NEW_HEADER, &[(&key, Type::BYTEA), (&json, Type::BYTEA)]).await?;
    let rows = connection.query(HEADER_ROW, &[(&key, Type::BYTEA)]).await?;
    let damaged = |damage| damaged(address, damage);
    let row = rows.first().ok_or_else(|| damaged("its header is missing".to_owned()))?;
    let header = StoreHeader::read(row.get(0)).map_err(damaged)?;
    let (seed, seed_world) = (header.seed, Arc::new(header.seed_world));
    Ok(Settings { seed, seed_world, ..settings })
}

fn damaged(address: &PostgresAddress, damage: String) -> DurableError {
    DurableError::DatabaseDamaged { address: address.to_string(), damage }
}
