//! The snapshots that the steps of a run compared or recorded.

use std::collections::BTreeMap;
use std::path::Path;

use moot_snapshots::{Comparison, NewSnapshot, Rows, StoreMode};

use crate::verdict::result::{SnapshotCounts, SnapshotFindings};

/// The snapshots that the steps of a run compared or recorded.
#[derive(Debug, Default)]
pub(super) struct SnapshotLog {
    /// Each name with its worst comparison.
    pub(super) used: BTreeMap<String, Comparison>,
    /// Steps of loops over data of the target.
    pub(super) rows: Rows,
    /// Responses without a snapshot, or with a different one.
    pub(super) new: BTreeMap<String, NewSnapshot>,
}

impl SnapshotLog {
    /// The new snapshots and the counts. A whole run also has the snapshots that no step used.
    pub(super) fn into_findings(
        mut self,
        mode: StoreMode,
        folder: &Path,
        is_whole: bool,
    ) -> SnapshotFindings {
        let known = match is_whole {
            // Each comparison has already reported a folder that cannot be read.
            true => moot_snapshots::list(folder).unwrap_or_default(),
            false => Vec::new(),
        };
        let names = known.into_iter().map(|entry| entry.name);
        let is_reported = mode != StoreMode::Collect;
        SnapshotFindings {
            new: std::mem::take(&mut self.new).into_values().collect(),
            unused: names.filter(|name| !self.is_used(name)).collect(),
            counts: is_reported.then(|| self.counts(folder)),
        }
    }

    fn counts(&self, folder: &Path) -> SnapshotCounts {
        let mut counts =
            SnapshotCounts { folder: folder.display().to_string(), ..SnapshotCounts::default() };
        for comparison in self.used.values() {
            let count = match comparison {
                Comparison::Match => &mut counts.same,
                Comparison::Added => &mut counts.recorded,
                Comparison::Updated => &mut counts.waiting,
                Comparison::Missing { .. } => &mut counts.missing,
                Comparison::Mismatch { .. } => &mut counts.differing,
                Comparison::Error(_) => &mut counts.unusable,
            };
            *count += 1;
        }
        counts.compared = counts.same + counts.differing + counts.waiting;
        counts
    }

    /// Rows of a loop share one name.
    fn is_used(&self, name: &str) -> bool {
        self.used.contains_key(name) || self.rows.names().any(|known| known == name)
    }
}
