//! Shows a repository document.

use serde_json::{Value, json};

use super::{Refusal, parties};
use crate::world::World;

/// A document with all stored data. Shape: `{"id", "company", "name", "created_at",
/// "length", "sha256", "custom_fields": {}, "legal_request_id", "download_id"}`.
pub(super) fn view(world: &World, id: &str) -> Result<Value, Refusal> {
    let record = world
        .document(id)
        .ok_or_else(|| Refusal::unknown(format!("there is no repository document `{id}`")))?;
    Ok(json!({
        "id": record.id,
        "company": parties::company_name(world, record.company),
        "name": record.name,
        "created_at": record.created_at,
        "length": record.content.length,
        "sha256": record.content.hex_digest(),
        "custom_fields": record.custom_fields.value(),
        "legal_request_id": record.legal_request_id,
        "download_id": record.download_id,
    }))
}
