//! The index of a recording: what was planned, on what, by which versions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answers::Pins;
use crate::recording::folder::{self, FORMAT_VERSION, RecordingError};
use crate::target_file::TargetClass;

/// `index.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecordingIndex {
    /// Of the format of the folder.
    pub format_version: u32,
    /// Of the program that wrote it.
    pub moot_version: String,
    /// Of the register that judged it then.
    pub register_version: String,
    /// ISO 8601 UTC.
    pub recorded_at: String,
    /// Seed of the run.
    pub seed: u64,
    /// Tag of the run: it stands in names and addresses that were sent.
    pub run_tag: String,
    /// Whether a MUST of a standard failed.
    pub strict: bool,
    /// The plan: what was selected; everything where empty.
    pub selectors: Vec<String>,
    /// Outcome and exit code of the run.
    pub exit_code: u8,
    /// The target.
    pub target: IndexTarget,
    /// The sessions, in the order of their scenarios' names.
    #[serde(rename = "tapes")]
    pub sessions: Vec<RecordingIndexRow>,
    /// What stands for each secret, with what the secret was.
    pub placeholders: BTreeMap<String, String>,
}

/// The target of a recording.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IndexTarget {
    /// Its name.
    pub name: String,
    /// Its base address.
    pub base_url: String,
    /// What kind of service it was.
    pub class: TargetClass,
    /// Whether it had sandboxes.
    pub is_mock: bool,
    /// The limit of pages to read, if its file has one.
    pub pages_max: Option<u64>,
    /// What could stay not run.
    pub tolerate: Vec<String>,
    /// Needs that were not met: reason and setting.
    pub unmet: BTreeMap<String, (String, String)>,
    /// The answers that its file pinned; a recording without them pins none.
    #[serde(default)]
    pub pins: Pins,
}

/// A session of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordingIndexRow {
    /// `stem/id[row]`.
    pub scenario: String,
    /// Below the folder.
    pub file: String,
}

impl RecordingIndex {
    /// Reads the index of the recording in `dir`.
    ///
    /// # Errors
    /// Where it is none, or of another version.
    pub fn read(dir: &std::path::Path) -> Result<Self, RecordingError> {
        let path = dir.join(folder::INDEX);
        let index: Self = folder::read(&path)?;
        if index.format_version != FORMAT_VERSION {
            return Err(RecordingError::Version { path, found: index.format_version });
        }
        Ok(index)
    }
}
