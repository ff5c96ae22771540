//! A repository document: what the service stores of it.

use serde_json::{Value, json};

use super::Refusal;
use crate::value::timestamp;
use crate::world::World;

/// A document with everything stored. Shape: `{"id", "company", "name", "created_at",
/// "length", "sha256", "custom_fields": {}, "legal_request_id", "download_id"}`.
pub(super) fn view(world: &World, id: &str) -> Result<Value, Refusal> {
    let record = world
        .document(id)
        .ok_or_else(|| Refusal::unknown(format!("there is no repository document `{id}`")))?;
    let digest = record.content.digest();
    let digest = digest.map(|digest| digest.iter().map(|byte| format!("{byte:02x}")));
    Ok(json!({
        "id": record.id,
        "company": world.seeded().company(record.company).map(|company| &company.name),
        "name": record.name,
        "created_at": timestamp::exact(record.created_at),
        "length": record.content.length,
        "sha256": digest.map(Iterator::collect::<String>),
        "custom_fields": record.custom_fields.value(),
        "legal_request_id": record.legal_request_id,
        "download_id": record.download_id,
    }))
}
