//! The index of a recording: the plan, the target and the versions.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::DataError;
use serde::{Deserialize, Serialize};

use crate::client::answers::Pins;
use crate::client::recording::folder::{self, FORMAT_VERSION};
use crate::exchange::TargetDescription;

/// `index.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RecordingIndex {
    /// Format version of the folder.
    pub format_version: u32,
    /// Version of the program that wrote it.
    pub moot_version: String,
    /// Version of the register.
    pub register_version: String,
    /// Time of the run, ISO 8601 UTC.
    pub recorded_at: String,
    /// Seed of the run.
    pub seed: u64,
    /// Tag of the run. It is part of names and addresses in the requests.
    pub run_tag: String,
    /// Whether a broken MUST of a standard was a failure.
    pub strict: bool,
    /// The selectors of the plan. Empty for all scenarios.
    pub selectors: Vec<String>,
    /// Selectors of scenarios that were left out. Older recordings have none.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// Exit code of the run.
    pub exit_code: u8,
    /// The target.
    pub target: IndexTarget,
    /// Milliseconds of each scenario, for planning shards. Older recordings have none.
    #[serde(default)]
    pub costs: BTreeMap<String, u64>,
    /// Scenarios whose failed first pass was repeated, because lists could show earlier changes late. Older recordings
    /// have none.
    #[serde(default)]
    pub repeated: BTreeSet<String>,
    /// The sessions, sorted by scenario.
    #[serde(rename = "tapes")]
    pub sessions: Vec<RecordingIndexRow>,
    /// The placeholder of each secret, with its label.
    pub placeholders: BTreeMap<String, String>,
}

/// The target of a recording.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct IndexTarget {
    /// Its name, base address and class.
    #[serde(flatten)]
    pub description: TargetDescription,
    /// Whether it has sandboxes.
    pub is_mock: bool,
    /// The most pages of a list that are read, if the target file limits them.
    pub pages_max: Option<u64>,
    /// Needs and scenarios that may remain not run.
    pub tolerate: Vec<String>,
    /// Needs that are not met, each with the reason (a clause) and the setting that would meet it.
    pub unmet: BTreeMap<String, (String, String)>,
    /// Seconds by which earlier runs had moved its clock. Older recordings have none.
    #[serde(default)]
    pub clock_moved_seconds: i64,
    /// The answers that the target file pins. Older recordings have none.
    #[serde(default)]
    pub pins: Pins,
}

/// A session of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordingIndexRow {
    /// `stem/id[row]`.
    pub scenario: String,
    /// The file, relative to the folder.
    pub file: String,
}

impl RecordingIndex {
    /// Reads the index of the recording in `dir`.
    ///
    /// # Errors
    /// The file is not an index, or has another version.
    pub fn read(dir: &std::path::Path) -> Result<Self, DataError> {
        let path = dir.join(folder::INDEX);
        if !path.is_file() {
            let why = match (dir.is_dir(), dir.exists()) {
                (true, _) => format!("it is not a recording: it has no `{}`", folder::INDEX),
                (false, true) => "it is a file, and a recording is a folder".to_owned(),
                (false, false) => "there is no such folder".to_owned(),
            };
            return Err(folder::error(dir, why));
        }
        let index: Self = folder::read(&path)?;
        if index.format_version != FORMAT_VERSION {
            let found = index.format_version;
            let why = format!(
                "it has format version {found}; this program reads version {FORMAT_VERSION}"
            );
            return Err(folder::error(&path, why));
        }
        Ok(index)
    }
}
