//! What a run is asked to do.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::client::recording::Recorder;
use crate::exchange::masks::Masks;
use crate::run::environment::{TargetChoice, TargetOptions};
use crate::scenario::model::ScenarioFile;
use crate::verdict::result::RepeatCommand;

use super::keep::Kept;
use super::order::Order;
use super::snapshots_seen::SnapshotMode;

/// What to run, and how.
#[derive(Clone)]
pub struct RunOptions {
    /// Where requests go.
    pub choice: TargetChoice,
    /// How they go there; the seed and the run's tag among it.
    pub target: TargetOptions,
    /// All scenario files, parsed.
    pub files: Arc<Vec<ScenarioFile>>,
    /// What is selected; everything where empty.
    pub selectors: Vec<String>,
    /// What is left out of that: it is not run. Selectors too.
    pub excluded: Vec<String>,
    /// Of what is selected only the scenarios of these names, one shard; all where absent.
    pub only: Option<BTreeSet<String>>,
    /// Whether what the target does not offer may stay not run.
    pub tolerates_unmet_needs: bool,
    /// Scenarios side by side; by default two a core on a mock, where each has a sandbox of its own.
    /// A deployment is walked one by one, but for an unpaced one on loopback where it is asked for.
    pub jobs: Option<usize>,
    /// In which order scenarios are walked.
    pub order: Order,
    /// Whether a MUST of a standard fails.
    pub strict: bool,
    /// What is done with snapshots.
    pub snapshots: SnapshotMode,
    /// Where they are.
    pub snapshot_dir: Option<PathBuf>,
    /// How much is kept of exchanges without a finding.
    pub kept: Kept,
    /// Keeps all that the target says, where that is wanted.
    pub recorder: Option<Arc<Recorder>>,
    /// The command line that reproduces the run.
    pub reproduce: String,
    /// The command line that runs one of its scenarios again.
    pub repeat: RepeatCommand,
    /// The secrets of the run, as they become known.
    pub masks: Arc<Masks>,
}

impl RunOptions {
    /// All of these files at this target, in their order; nothing is strict, no snapshot is looked at,
    /// nothing is recorded, and of what was sent the beginnings are kept.
    pub fn new(
        choice: TargetChoice,
        target: TargetOptions,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
    ) -> Self {
        Self {
            choice,
            target,
            files: files.into(),
            selectors: Vec::new(),
            excluded: Vec::new(),
            only: None,
            tolerates_unmet_needs: false,
            jobs: None,
            order: Order::Files,
            strict: false,
            snapshots: SnapshotMode::Off,
            snapshot_dir: None,
            kept: Kept::Beginning,
            recorder: None,
            reproduce: String::new(),
            repeat: RepeatCommand::default(),
            masks: Arc::default(),
        }
    }
}
