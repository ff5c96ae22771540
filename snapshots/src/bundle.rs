//! A bundle: recorded responses in one file, for machines that must not write to the source folder.
//!
//! A CI job keeps the file as an artefact. A person applies it to a folder of snapshots and decides. The
//! names in a bundle are input from outside. [`crate::file_of`] keeps each file below the folder.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::file::Metadata;
use crate::store::{self, Comparison, StoreMode};

/// Version of the format.
const VERSION: u32 = 1;

/// Bytes. Longer bundles are refused.
pub const BUNDLE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// One recorded response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshot {
    /// Name of the snapshot: `04_07_get_request/by-id__get`.
    pub name: String,
    /// The header of its file.
    pub metadata: Metadata,
    /// The recorded text.
    pub content: String,
}

/// The responses of a run that could not record them.
///
/// ```json
/// {"version": 1, "target": "staging", "snapshots": [{"name": "…", "metadata": {}, "content": "HTTP 200…"}]}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    version: u32,
    /// The folder below `snapshots` that the bundle belongs to.
    pub target: String,
    /// The responses, by name.
    pub snapshots: Vec<NewSnapshot>,
}

impl Bundle {
    /// A bundle for the folder of this target.
    pub fn new(target: String, snapshots: Vec<NewSnapshot>) -> Self {
        Self { version: VERSION, target, snapshots }
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// It has another shape or version.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let read: Result<Self, _> = serde_json::from_str(text);
        let bundle = read.map_err(|error| format!("it is not a bundle of snapshots: {error}"))?;
        match bundle.version {
            VERSION => Ok(bundle),
            other => Err(format!(
                "it is a bundle of version {other}; this program reads version {VERSION}"
            )),
        }
    }

    /// The whole file as indented JSON.
    pub fn to_text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{value:#}\n")
    }

    /// Records all responses below `dir`, as the run would have done: new ones are accepted, and
    /// different ones are pending.
    pub fn apply(&self, dir: &Path) -> Vec<(String, Comparison)> {
        let record = |one: &NewSnapshot| {
            let comparison =
                store::check(dir, &one.name, &one.metadata, &one.content, StoreMode::Record);
            (one.name.clone(), comparison)
        };
        self.snapshots.iter().map(record).collect()
    }
}
