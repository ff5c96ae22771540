//! Options of a run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use moot_snapshots::StoreMode;

use crate::client::recording::Recorder;
use crate::exchange::masks::Masks;
use crate::run::environment::{TargetChoice, TargetOptions};
use crate::scenario::model::ScenarioFile;
use crate::verdict::result::RepeatCommand;

/// Options of a run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// The target.
    pub choice: TargetChoice,
    /// Options of the target, with the seed and the run tag.
    pub target: TargetOptions,
    /// All scenario files.
    pub files: Arc<Vec<ScenarioFile>>,
    /// Selectors of scenarios; all scenarios if empty.
    pub selectors: Vec<String>,
    /// Selectors of scenarios that are not run.
    pub excluded: Vec<String>,
    /// The scenarios of one shard, by name; all selected ones if absent.
    pub only: Option<BTreeSet<String>>,
    /// Whether scenarios may stay not run because of needs that the target does not meet.
    pub tolerates_unmet_needs: bool,
    /// The number of scenarios that run at the same time. The default on a mock is two per core, because each scenario
    /// has its own sandbox. On a deployment it is one; an unpaced deployment on loopback uses this option.
    pub jobs: Option<usize>,
    /// Runs the scenarios in an order drawn from this seed.
    pub shuffle: Option<u64>,
    /// Whether a MUST of a standard fails.
    pub strict: bool,
    /// The use of snapshots, and their folder; `None` ignores them.
    pub snapshots: Option<(StoreMode, PathBuf)>,
    /// Whether a report lists passed checks. Otherwise only their number is kept.
    pub lists_checks: bool,
    /// Records all responses of the target.
    pub recorder: Option<Arc<Recorder>>,
    /// The command line that reproduces the run.
    pub reproduce: String,
    /// The command line that runs one scenario again.
    pub repeat: RepeatCommand,
    /// The secrets of the run. New ones are added while it runs.
    pub masks: Arc<Masks>,
}

impl RunOptions {
    /// Runs all of these files in their order, without strictness, snapshots and recording.
    pub fn new(
        choice: TargetChoice,
        target: TargetOptions,
        files: impl Into<Arc<Vec<ScenarioFile>>>,
    ) -> Self {
        Self { choice, target, files: files.into(), lists_checks: true, ..Self::default() }
    }
}
