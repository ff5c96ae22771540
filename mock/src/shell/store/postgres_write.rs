//! The one statement that writes, with its parameters.

use sha2::{Digest, Sha256};
use tokio_postgres::types::Type;

use super::table::KeyBatch;
use crate::shell::postgres::{DatabaseConnection, HeadRow, PostgresError, SqlParameter};
use crate::value::message::content::{Content, ContentPlace};

/// `$1` epoch, `$2` holder, `$3` and `$4` the new number and digest, `$5` and `$6` those of before.
const WRITE: &str = "
with head as (
  update moot_head set seq = $3, digest = $4
  where epoch = $1 and holder = $2 and seq = $5 and digest = $6 returning seq
), gone as (
  delete from moot_row using head, unnest($7::bytea[]) as deleted(key)
  where moot_row.id = sha256(deleted.key)
), documents as (
  insert into moot_document (digest, part, bytes)
  select new.digest, 0, new.bytes from head, unnest($8::bytea[], $9::bytea[]) as new(digest, bytes)
  on conflict do nothing
), rows as (
  insert into moot_row (id, key, value)
  select sha256(new.key), new.key, new.value
  from head, unnest($10::bytea[], $11::bytea[]) as new(key, value)
  on conflict (id) do update set value = excluded.value
)
select seq from head";

/// The parameters of [`WRITE`].
pub(super) struct WriteStatement {
    epoch: i64,
    holder: [u8; 16],
    seq: i64,
    digest: Vec<u8>,
    seq_before: i64,
    digest_before: Vec<u8>,
    deleted: Vec<Vec<u8>>,
    documents: (Vec<Vec<u8>>, Vec<Vec<u8>>),
    rows: (Vec<Vec<u8>>, Vec<Vec<u8>>),
}

impl WriteStatement {
    pub(super) fn new(
        before: &HeadRow,
        next: &HeadRow,
        holder: [u8; 16],
        batch: &KeyBatch,
    ) -> Self {
        let (mut deleted, mut rows) = (Vec::new(), (Vec::new(), Vec::new()));
        for (key, value) in &batch.values {
            match value {
                Some(value) => {
                    rows.0.push(key.as_bytes().to_vec());
                    rows.1.push(value.clone());
                }
                None => deleted.push(key.as_bytes().to_vec()),
            }
        }
        let in_memory = |(digest, content): (&[u8; 32], &Content)| match &content.place {
            ContentPlace::Memory(bytes) => Some((digest.to_vec(), bytes.to_vec())),
            ContentPlace::File { .. } | ContentPlace::Apart => None,
        };
        Self {
            epoch: before.epoch.cast_signed(),
            holder,
            seq: next.seq.cast_signed(),
            digest: next.digest.clone(),
            seq_before: before.seq.cast_signed(),
            digest_before: before.digest.clone(),
            deleted,
            documents: batch.documents.iter().filter_map(in_memory).unzip(),
            rows,
        }
    }

    /// Whether it wrote.
    pub(super) async fn run(&self, connection: &DatabaseConnection) -> Result<bool, PostgresError> {
        let parameters: &[SqlParameter<'_>] = &[
            (&self.epoch, Type::INT8),
            (&&self.holder[..], Type::BYTEA),
            (&self.seq, Type::INT8),
            (&self.digest, Type::BYTEA),
            (&self.seq_before, Type::INT8),
            (&self.digest_before, Type::BYTEA),
            (&self.deleted, Type::BYTEA_ARRAY),
            (&self.documents.0, Type::BYTEA_ARRAY),
            (&self.documents.1, Type::BYTEA_ARRAY),
            (&self.rows.0, Type::BYTEA_ARRAY),
            (&self.rows.1, Type::BYTEA_ARRAY),
        ];
        Ok(!connection.query(WRITE, parameters).await?.is_empty())
    }
}

/// The digest of a commit: of the one before, and of all that it changes.
pub(super) fn digest_of_batch(before: &[u8], batch: &KeyBatch) -> Vec<u8> {
    let mut digest = Sha256::new();
    let mut add = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    add(before);
    for (key, value) in &batch.values {
        add(key.as_bytes());
        add(value.as_deref().unwrap_or_default());
    }
    batch.documents.keys().for_each(|document| add(document));
    digest.finalize().to_vec()
}
