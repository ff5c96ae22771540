//! The JSON Schema of a target file, derived from the types that read it.

use schemars::schema_for;
use serde_json::Value;

use crate::client::target_file::shape::TargetFileShape;

/// The schema that `moot schema target` prints.
pub fn schema() -> Value {
    let mut schema = schema_for!(TargetFileShape);
    schema.insert("$id".to_owned(), "urn:moot:schema:target".into());
    schema.insert("title".to_owned(), "Target file".into());
    let description =
        "A deployment, and the rules for a run on it. `moot run --target FILE` reads it.";
    schema.insert("description".to_owned(), description.into());
    let mut schema = schema.to_value();
    // `schemars` leaves out aliases.
    let endpoints = &mut schema["$defs"]["Endpoints"]["properties"];
    endpoints["get_workflow_schema"] = endpoints["workflow_schema"].clone();
    schema
}
