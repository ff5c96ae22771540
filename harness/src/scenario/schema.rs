//! The JSON Schema 2020-12 of the language, for editors. `moot schema scenario` prints it.
//!
//! It is made from the types of the model. It describes form only: [`super::validate`] checks whether
//! names, ids and operations exist.

use serde_json::{Value, json};

use super::language::form::SchemaDefinitions;
use super::language::keys::map_schema;
use super::model::ScenarioFileKeys;

/// The schema of a scenario file.
pub fn document() -> Value {
    let mut definitions = SchemaDefinitions::default();
    let file = map_schema::<ScenarioFileKeys>(&mut definitions);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:moot:schema:scenario",
        "title": "Scenario file",
        "description":
            "Scenarios of `moot run`. `<name>` in a text is a value known earlier, `<<` a literal `<`.",
    });
    if let (Value::Object(schema), Value::Object(file)) = (&mut schema, file) {
        schema.extend(file);
    }
    schema["$defs"] = Value::Object(definitions.0);
    schema
}
