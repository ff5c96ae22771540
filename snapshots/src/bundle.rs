//! A bundle: recorded responses in one file, for machines that must not write beside the sources.
//!
//! A CI job keeps one as an artefact; a person applies it to a folder and decides. The names in it come
//! from outside: [`crate::file_of`] keeps each below the folder.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::file::Metadata;
use crate::store::{self, Comparison, Mode};

/// Version of the shape.
const VERSION: u32 = 1;

/// The longest bundle that is read.
pub const BUNDLE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// One recorded response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Of the snapshot: `04_07_get_request/by-id__get`.
    pub name: String,
    /// What stands in the header of its file.
    pub metadata: Metadata,
    /// The text.
    pub content: String,
}

/// What a run would have recorded.
///
/// ```json
/// {"version": 1, "target": "staging", "snapshots": [{"name": "…", "metadata": {}, "content": "HTTP 200…"}]}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    version: u32,
    /// The folder below `snapshots` that it is meant for.
    pub target: String,
    /// By name.
    pub snapshots: Vec<Recorded>,
}

/// A text is no bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Not the shape of one.
    #[error("it is no bundle of snapshots: {0}")]
    NotABundle(#[from] serde_json::Error),
    /// Of another version of this program.
    #[error("it is a bundle of version {0}; this program reads version {VERSION}")]
    Version(u32),
}

impl Bundle {
    /// A bundle for the folder of this target.
    pub fn new(target: String, snapshots: Vec<Recorded>) -> Self {
        Self { version: VERSION, target, snapshots }
    }

    /// Reads what [`Bundle::to_text`] wrote.
    ///
    /// # Errors
    /// It is none, or of another version.
    pub fn from_text(text: &str) -> Result<Self, BundleError> {
        let bundle: Self = serde_json::from_str(text)?;
        if bundle.version == VERSION {
            Ok(bundle)
        } else {
            Err(BundleError::Version(bundle.version))
        }
    }

    /// The whole file: JSON, laid out.
    pub fn to_text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{value:#}\n")
    }

    /// Records all of it below `dir`, as a run would have: what is new is accepted, what differs waits
    /// for a decision.
    pub fn apply(&self, dir: &Path) -> Vec<(String, Comparison)> {
        let record = |one: &Recorded| {
            let comparison =
                store::check(dir, &one.name, &one.metadata, &one.content, Mode::Record);
            (one.name.clone(), comparison)
        };
        self.snapshots.iter().map(record).collect()
    }
}
