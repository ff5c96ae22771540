//! The snapshots that the steps of a run compared or recorded.

use std::collections::BTreeMap;
use std::path::Path;

use moot_snapshots::{Comparison, NewSnapshot, Rows};

use crate::verdict::result::{SnapshotCounts, SnapshotFindings};

/// The use of snapshots. In every mode the result has the snapshots that are new or differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Compares. A difference is drift.
    Check,
    /// Writes.
    Record,
    /// Compares for the result only: nothing is drift, and nothing is written.
    Collect,
}

/// The snapshots that the steps of a run compared or recorded.
#[derive(Debug, Default)]
pub(super) struct SnapshotLog {
    /// Each name with its worst state.
    pub(super) used: BTreeMap<String, SnapshotState>,
    /// Steps of loops over data of the target.
    pub(super) rows: Rows,
    /// Responses without a snapshot, or with a different one.
    pub(super) new: BTreeMap<String, NewSnapshot>,
}

impl SnapshotLog {
    /// The new snapshots and the counts. A whole run also has the snapshots that no step used.
    pub(super) fn into_findings(
        mut self,
        mode: SnapshotMode,
        folder: &Path,
        is_whole: bool,
    ) -> SnapshotFindings {
        let known = match is_whole {
            // Each comparison has already reported a folder that cannot be read.
            true => moot_snapshots::list(folder).unwrap_or_default(),
            false => Vec::new(),
        };
        let names = known.into_iter().map(|entry| entry.name);
        let is_reported = mode != SnapshotMode::Collect;
        SnapshotFindings {
            new: std::mem::take(&mut self.new).into_values().collect(),
            unused: names.filter(|name| !self.is_used(name)).collect(),
            counts: is_reported.then(|| self.counts(folder)),
        }
    }

    fn counts(&self, folder: &Path) -> SnapshotCounts {
        let count = |state: SnapshotState| self.used.values().filter(|it| **it == state).count();
        let (same, differing, waiting) = (
            count(SnapshotState::Same),
            count(SnapshotState::Differing),
            count(SnapshotState::Waiting),
        );
        SnapshotCounts {
            compared: same + differing + waiting,
            folder: folder.display().to_string(),
            same,
            differing,
            missing: count(SnapshotState::Missing),
            recorded: count(SnapshotState::Recorded),
            waiting,
            unusable: count(SnapshotState::Unusable),
        }
    }

    /// Rows of a loop share one name.
    fn is_used(&self, name: &str) -> bool {
        self.used.contains_key(name) || self.rows.names().any(|known| known == name)
    }
}

/// The state of a snapshot, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SnapshotState {
    Same,
    Recorded,
    Waiting,
    Missing,
    Differing,
    Unusable,
}

impl SnapshotState {
    pub(super) const fn of(comparison: &Comparison) -> Self {
        match comparison {
            Comparison::Match => Self::Same,
            Comparison::Added => Self::Recorded,
            Comparison::Updated => Self::Waiting,
            Comparison::Missing { .. } => Self::Missing,
            Comparison::Mismatch { .. } => Self::Differing,
            Comparison::Error(_) => Self::Unusable,
        }
    }
}
