//! The language as JSON Schema 2020-12, for editors: what `moot schema scenario` prints.
//!
//! Written beside the model, in `schema.json`; tests hold it against the reader on sound and on
//! broken files. It knows form only: names, ids and operations are the second pass's.

use serde_json::Value;

use super::model::NEEDS;

/// The schema of a scenario file.
pub fn document() -> Value {
    let mut schema: Value = serde_json::from_str(include_str!("schema.json"))
        .expect("a test reads the embedded schema");
    // Capabilities have their one table in the model.
    if let Some(needs) = schema.pointer_mut("/$defs/scenario/properties/needs/items/enum") {
        *needs = NEEDS.iter().copied().collect();
    }
    schema
}
