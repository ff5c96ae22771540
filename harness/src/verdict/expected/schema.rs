//! The JSON Schema of a file of known failures, from the types that read it.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::entry::ExpectedEntry;

/// The schema that `moot schema expected` prints.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    generator.subschema_for::<ExpectedEntry>();
    let mut definitions = Value::Object(generator.take_definitions(true));
    // `schemars` leaves out aliases.
    let properties = &mut definitions["Entry"]["properties"];
    properties["expiry"] = properties["expires"].clone();
    if let Some(outcomes) = definitions["ExpectedOutcome"]["oneOf"].as_array_mut() {
        outcomes.push(json!({ "const": "not_run", "description": "It cannot be judged." }));
    }
    definitions["entries"] = json!({ "type": "array", "items": { "$ref": "#/$defs/Entry" } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:moot:schema:expected",
        "title": "Known failures of a target",
        "description": "A list of entries, or a map with the list as `expected`. Named by `expected:` of a target file \
            or by `moot run --expected FILE`. The scenarios still run. A known failure does not fail the run. If it \
            did not happen, the run has drifted (exit code 5). An entry that expired or has an unknown id is a mistake \
            (exit code 2).",
        "oneOf": [
            { "$ref": "#/$defs/entries" },
            {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "expected": { "description": "The entries.", "$ref": "#/$defs/entries" },
                },
                "required": ["expected"],
            },
        ],
        "$defs": definitions,
    })
}
