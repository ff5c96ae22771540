//! The JSON Schema of an answers file, built from the open questions.

use moot_fixtures::{answers, questions};
use serde_json::{Map, Value, json};

/// The schema that `moot schema answers` prints.
pub fn schema() -> Value {
    let defaults = answers::to_map(answers::default());
    let mut properties = Map::new();
    for question in questions::all() {
        let Some(default) = defaults.get(&question.id) else { continue };
        let mut schema = question.schema();
        let (section, ask, allowed) =
            (&question.section, &question.ask, question.allowed_in_file());
        schema["description"] = format!("§{section}: {ask}. Allowed: {allowed}.").into();
        schema["default"] = default.clone();
        properties.insert(question.id.clone(), schema);
    }
    let observed =
        "Observations of a run. `moot run --save-answers` writes them, and a mock ignores them.";
    properties.insert("observed".to_owned(), json!({ "description": observed }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:moot:schema:answers",
        "title": "Answers file",
        "description": "Answers to open questions of the specification, by question. `moot mock --answers FILE` \
            and `answers:` of a target file read it. The default answers fill in the rest.",
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": properties,
    })
}
