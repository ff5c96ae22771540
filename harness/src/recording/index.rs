//! The index of a recording: the plan, the target, the versions.

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
    /// Version of the program that wrote it.
    pub moot_version: String,
    /// Version of the register that judged it.
    pub register_version: String,
    /// ISO 8601 UTC.
    pub recorded_at: String,
    /// Seed of the run.
    pub seed: u64,
    /// Tag of the run, which is part of names and addresses that were sent.
    pub run_tag: String,
    /// Whether a MUST of a standard failed.
    pub strict: bool,
    /// The selectors of the plan; everything if empty.
    pub selectors: Vec<String>,
    /// Exit code of the run.
    pub exit_code: u8,
    /// The target.
    pub target: IndexTarget,
    /// The sessions, in the order of their scenarios' names.
    #[serde(rename = "tapes")]
    pub sessions: Vec<RecordingIndexRow>,
    /// The placeholder of each secret, with the label of the secret.
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
    /// Needs and scenarios that may stay not run.
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
    /// It is no index, or has another version.
    pub fn read(dir: &std::path::Path) -> Result<Self, RecordingError> {
        let path = dir.join(folder::INDEX);
        let index: Self = folder::read(&path)?;
        if index.format_version != FORMAT_VERSION {
            return Err(RecordingError::Version { path, found: index.format_version });
        }
        Ok(index)
    }
}
