//! What a run saw of its folder of snapshots.

use std::collections::BTreeMap;
use std::path::Path;

use moot_snapshots::{Comparison, Recorded, Rows};

use crate::verdict::result::{SnapshotCounts, SnapshotFindings};

/// What is done with snapshots. In every mode the result keeps what was new or differed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMode {
    /// Compared; a difference is drift.
    Check,
    /// Written.
    Record,
    /// Compared for the result alone: nothing is drift, nothing is written.
    Collect,
    /// Left alone.
    Off,
}

/// What a run saw of its folder of snapshots.
#[derive(Debug, Default)]
pub(super) struct SnapshotsSeen {
    /// Names that a step asked for, with the worst that came of each.
    pub(super) used: BTreeMap<String, SnapshotState>,
    /// Steps of loops over what the target holds.
    pub(super) rows: Rows,
    /// What had no snapshot, or another one.
    pub(super) new: BTreeMap<String, Recorded>,
}

impl SnapshotsSeen {
    /// What the run keeps: what was new, and of a whole run which snapshots no step asked for.
    pub(super) fn into_findings(
        mut self,
        folder: Option<&Path>,
        is_whole: bool,
        mode: SnapshotMode,
    ) -> SnapshotFindings {
        let known = match folder {
            // A folder that can't be read has shown itself in the comparisons.
            Some(folder) if is_whole => moot_snapshots::list(folder).unwrap_or_default(),
            Some(_) | None => Vec::new(),
        };
        let names = known.into_iter().map(|entry| entry.name);
        SnapshotFindings {
            new: std::mem::take(&mut self.new).into_values().collect(),
            unused: names.filter(|name| !self.is_used(name)).collect(),
            counts: folder.filter(|_| mode.is_told()).map(|folder| self.counts(folder)),
        }
    }

    fn counts(&self, folder: &Path) -> SnapshotCounts {
        let count =
            |wanted: SnapshotState| self.used.values().filter(|came| **came == wanted).count();
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

    /// Rows of a loop are one: how many there are is data.
    fn is_used(&self, name: &str) -> bool {
        self.used.contains_key(name) || self.rows.names().any(|known| known == name)
    }
}

/// What came of a snapshot, the worst last.
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

impl SnapshotMode {
    /// Whether people are told what came of it.
    const fn is_told(self) -> bool {
        match self {
            Self::Check | Self::Record => true,
            Self::Collect | Self::Off => false,
        }
    }
}
