//! insta's file format: a YAML header between two lines of `---`, then the text.
//!
//! insta has no public function that writes this format with our header, so it is written here.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use insta::Snapshot;
use serde::{Deserialize, Serialize};

/// The header of a snapshot. It is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// `04_05_create_legal_request/from-schema[row]`.
    pub scenario: String,
    /// The step's name.
    pub step: String,
    /// `mock in process`, `moot mock`, `deployment`.
    pub target_class: String,
    /// Version of the register that the run used.
    pub register_version: String,
    /// The scenario file.
    pub source: String,
}

/// The content of a file.
pub(crate) fn render(metadata: &Metadata, recorded: &str, content: &str) -> String {
    // A JSON text is a YAML text in double quotes.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    format!(
        "---\nsource: {}\ndescription: {}\ninfo:\n  scenario: {}\n  step: {}\n  target_class: {}\n  \
         register_version: {}\n  recorded: {}\n---\n{}\n",
        quoted(&metadata.source),
        quoted(&format!("{}, {}", metadata.scenario, metadata.step)),
        quoted(&metadata.scenario),
        quoted(&metadata.step),
        quoted(&metadata.target_class),
        quoted(&metadata.register_version),
        quoted(recorded),
        normal(content),
    )
}

/// The text of a file, and its description.
pub(crate) fn read(path: &Path) -> Result<(String, Option<String>), String> {
    let wrong = |why: &dyn Display| {
        format!(
            "{} is not a snapshot: {why}; restore it, or delete it and record again",
            path.display()
        )
    };
    // insta takes a text without a header as an old format, and prints advice for a Cargo project.
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    if !text.starts_with("---") {
        return Err(wrong(&"its first line is not `---`"));
    }
    let snapshot = Snapshot::from_file(path).map_err(|error| wrong(&error))?;
    match snapshot.as_text() {
        Some(text) => {
            Ok((normal(&text.to_string()), snapshot.metadata().description().map(str::to_owned)))
        }
        None => Err(format!("{} is a binary snapshot", path.display())),
    }
}

/// The form that insta compares: lines end in LF, and white space at the end is removed.
pub(crate) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}
