//! The JSON Schemas of our own file formats, by name.

use schemars::schema_for;
use serde_json::Value;

use super::error::CommandError;
use crate::client::{answers, target_file};
use crate::grading::{conduct, drill};
use crate::verdict::expected;
use crate::{compare, report, scenario};

/// A file format of ours.
pub(super) struct FileFormat {
    /// For `moot schema NAME`.
    pub(super) name: &'static str,
    /// Its page in the reference, without the ending.
    pub(super) page: &'static str,
    /// Its JSON Schema, before it is marked.
    schema: fn() -> Value,
}

/// All formats: first what users write, then what Moot writes.
pub(super) const FORMATS: [FileFormat; 9] = [
    FileFormat { name: "target", page: "target-file", schema: target_file::schema },
    FileFormat { name: "scenario", page: "scenario-language", schema: scenario::schema::document },
    FileFormat { name: "expected", page: "expected-file", schema: expected::schema },
    FileFormat { name: "answers", page: "answers-file", schema: answers::schema },
    FileFormat { name: "world", page: "world-file", schema: world },
    FileFormat { name: "report", page: "report", schema: || published(report::json::SCHEMA) },
    FileFormat { name: "compare", page: "comparison", schema: || published(compare::SCHEMA) },
    FileFormat { name: "conduct", page: "conduct-report", schema: conduct::json::schema },
    FileFormat { name: "drill", page: "certificate", schema: drill::certificate::schema },
];

impl FileFormat {
    /// Its JSON Schema, with the version of Moot.
    pub(super) fn schema(&self) -> Value {
        let mut schema = (self.schema)();
        schema["$comment"] = concat!("Written by moot ", env!("CARGO_PKG_VERSION")).into();
        schema
    }
}

/// A JSON document as text, indented, with a line end.
pub(super) fn pretty(document: &Value) -> Result<String, CommandError> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| CommandError::fault(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// A schema that is a file of this crate. A test reads each of them.
fn published(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn world() -> Value {
    let mut schema = schema_for!(moot_fixtures::world::SeedWorld);
    schema.insert("$id".to_owned(), "urn:moot:schema:world".into());
    schema.insert("title".to_owned(), "World file".into());
    let description = "The data that a mock starts with. `moot mock --world FILE` reads it.";
    schema.insert("description".to_owned(), description.into());
    schema.to_value()
}
