//! The JSON Schemas of Moot's own file formats, by name.

use schemars::schema_for;
use serde_json::Value;

use crate::client::{answers, target_file};
use crate::grading::{conduct, drill};
use crate::verdict::expected;
use crate::{compare, report, scenario};

/// A file format of Moot.
pub(super) struct FileFormat {
    /// The NAME of `moot schema NAME`.
    pub(super) name: &'static str,
    /// Its JSON Schema, without the version of Moot.
    schema: fn() -> Value,
}

/// All formats: first those that users write, then those that Moot writes.
pub(super) const FORMATS: [FileFormat; 9] = [
    FileFormat { name: "target", schema: target_file::schema },
    FileFormat { name: "scenario", schema: scenario::schema::document },
    FileFormat { name: "expected", schema: expected::schema },
    FileFormat { name: "answers", schema: answers::schema },
    FileFormat { name: "world", schema: world },
    FileFormat { name: "report", schema: || parse_schema(report::json::SCHEMA) },
    FileFormat { name: "compare", schema: || parse_schema(compare::SCHEMA) },
    FileFormat { name: "conduct", schema: conduct::json::schema },
    FileFormat { name: "drill", schema: drill::certificate::schema },
];

impl FileFormat {
    /// Its JSON Schema, with the version of Moot.
    pub(super) fn schema(&self) -> Value {
        let mut schema = (self.schema)();
        schema["$comment"] = concat!("Written by moot ", env!("CARGO_PKG_VERSION")).into();
        schema
    }
}

/// Parses a schema that is a file of this crate. A test parses each of them, so that this can't fail.
fn parse_schema(text: &str) -> Value {
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
