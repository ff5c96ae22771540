//! The statement that commits a batch.

use sha2::{Digest, Sha256};
use tokio_postgres::types::Type;

use super::table::KeyBatch;
use crate::shell::postgres::{DatabaseConnection, HeadRow, PostgresError, SqlParameter};
use crate::value::message::content::ContentPlace;

/// `$1` epoch, `$2` holder, `$3` and `$4` the new number and digest, `$5` and `$6` the previous ones.
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

/// Writes a batch if this node still holds its epoch and the newest commit is `before`. Returns whether it did.
pub(super) async fn write(
    connection: &DatabaseConnection,
    before: &HeadRow,
    next: &HeadRow,
    batch: &KeyBatch,
) -> Result<bool, PostgresError> {
    let (mut deleted, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in &batch.values {
        let key = key.to_string().into_bytes();
        match value {
            Some(value) => {
                keys.push(key);
                values.push(&value[..]);
            }
            None => deleted.push(key),
        }
    }
    let (mut digests, mut documents) = (Vec::new(), Vec::new());
    for (digest, content) in &batch.documents {
        if let ContentPlace::Memory(bytes) = &content.place {
            digests.push(&digest[..]);
            documents.push(&bytes[..]);
        }
    }
    let numbers = [before.epoch, next.seq, before.seq].map(u64::cast_signed);
    let [epoch, seq, seq_before] = &numbers;
    let holder = before.holder.unwrap_or_default();
    let parameters: &[SqlParameter<'_>] = &[
        (epoch, Type::INT8),
        (&&holder[..], Type::BYTEA),
        (seq, Type::INT8),
        (&next.digest, Type::BYTEA),
        (seq_before, Type::INT8),
        (&before.digest, Type::BYTEA),
        (&deleted, Type::BYTEA_ARRAY),
        (&digests, Type::BYTEA_ARRAY),
        (&documents, Type::BYTEA_ARRAY),
        (&keys, Type::BYTEA_ARRAY),
        (&values, Type::BYTEA_ARRAY),
    ];
    Ok(!connection.query(WRITE, parameters).await?.is_empty())
}

/// The digest of a commit: of the digest of the commit before, and of all changes.
pub(super) fn digest_of_batch(before: &[u8], batch: &KeyBatch) -> Vec<u8> {
    let mut digest = Sha256::new();
    let mut add = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    add(before);
    for (key, value) in &batch.values {
        add(key.to_string().as_bytes());
        add(value.as_deref().unwrap_or_default());
    }
    batch.documents.keys().for_each(|document| add(document));
    digest.finalize().to_vec()
}
