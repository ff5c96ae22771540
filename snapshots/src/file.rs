//! insta's file format: a YAML header between two lines of `---`, then the text. Written here, read by
//! insta itself.

use std::fmt::Write as _;
use std::path::Path;

use insta::Snapshot;
use serde::{Deserialize, Serialize};

/// What stands in the header of a snapshot; never compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// `04_05_create_legal_request/from-schema[row]`.
    pub scenario: String,
    /// The step's name.
    pub step: String,
    /// `mock in process`, `moot mock`, `deployment`.
    pub target_class: String,
    /// Version of the register that the run judged by.
    pub register_version: String,
    /// The scenario file.
    pub source: String,
}

/// The whole file.
pub(crate) fn render(metadata: &Metadata, recorded: &str, content: &str) -> String {
    let mut out = String::from("---\n");
    let mut line = |key: &str, value: &str| {
        // A JSON text is a YAML text in double quotes.
        writeln!(out, "{key}: {}", serde_json::Value::from(value)).expect("a String takes all")
    };
    line("source", &metadata.source);
    line("description", &format!("{}, {}", metadata.scenario, metadata.step));
    out.push_str("info:\n");
    for (key, value) in [
        ("scenario", metadata.scenario.as_str()),
        ("step", &metadata.step),
        ("target_class", &metadata.target_class),
        ("register_version", &metadata.register_version),
        ("recorded", recorded),
    ] {
        writeln!(out, "  {key}: {}", serde_json::Value::from(value)).expect("a String takes all");
    }
    out.push_str("---\n");
    out.push_str(&normal(content));
    out.push('\n');
    out
}

/// The text of a file, and its description.
pub(crate) fn read(path: &Path) -> Result<(String, Option<String>), String> {
    let snapshot = Snapshot::from_file(path)
        .map_err(|error| format!("{} is no snapshot: {error}", path.display()))?;
    match snapshot.as_text() {
        Some(text) => {
            Ok((normal(&text.to_string()), snapshot.metadata().description().map(str::to_owned)))
        }
        None => Err(format!("{} is a binary snapshot", path.display())),
    }
}

/// As insta compares: lines end in LF, white space at the end does not count.
pub(crate) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}
