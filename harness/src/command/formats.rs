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
    /// Its page in the reference, without the extension.
    pub(super) page: &'static str,
    /// Whether users write these files. Moot writes the others.
    pub(super) is_of_users: bool,
    /// Its JSON Schema, without the version of Moot.
    schema: fn() -> Value,
}

/// All formats: first those that users write, then those that Moot writes.
pub(super) const FORMATS: [FileFormat; 9] = [
    FileFormat::of_users("target", "target-file", target_file::schema),
    FileFormat::of_users("scenario", "scenario-language", scenario::schema::document),
    FileFormat::of_users("expected", "expected-file", expected::schema),
    FileFormat::of_users("answers", "answers-file", answers::schema),
    FileFormat::of_users("world", "world-file", world),
    FileFormat::of_moot("report", "report", || parse_schema(report::json::SCHEMA)),
    FileFormat::of_moot("compare", "comparison", || parse_schema(compare::SCHEMA)),
    FileFormat::of_moot("conduct", "conduct-report", conduct::json::schema),
    FileFormat::of_moot("drill", "certificate", drill::certificate::schema),
];

impl FileFormat {
    const fn of_users(name: &'static str, page: &'static str, schema: fn() -> Value) -> Self {
        Self { name, page, is_of_users: true, schema }
    }

    const fn of_moot(name: &'static str, page: &'static str, schema: fn() -> Value) -> Self {
        Self { name, page, is_of_users: false, schema }
    }

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
