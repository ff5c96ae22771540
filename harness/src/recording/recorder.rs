//! Gathers the tapes of a run, and writes them once it has ended.

use std::fs;
use std::path::Path;

use parking_lot::Mutex;
use serde::Serialize;

use crate::masks::Secrets;
use crate::recording::folder::{self, RecordingError};
use crate::recording::har::{self, Har, HarCreator, HarEntry, HarLog, HarSession};
use crate::recording::index::{FORMAT_VERSION, IndexTarget, RecordingIndex, RecordingIndexRow};
use crate::recording::redact::Redactor;
use crate::recording::session_record::{
    CredentialsRow, DestinationRow, RecordedAnswer, SessionRecord,
};
use crate::result::RunResult;

/// The tapes of a run.
#[derive(Default)]
pub struct Recorder {
    tapes: Mutex<Vec<SessionEntry>>,
    target: Mutex<IndexTarget>,
}

/// A record with what it belongs to.
pub(crate) struct SessionEntry {
    pub(crate) scenario: String,
    pub(crate) started_seconds: i64,
    pub(crate) destination: DestinationRow,
    pub(crate) record: SessionRecord,
}

/// What a run was asked to do, as far as judging it again needs it.
#[derive(Debug, Clone)]
pub struct RecordingPlan {
    /// The tag of the run.
    pub run_tag: String,
    /// Whether a MUST of a standard fails.
    pub strict: bool,
    /// What was selected.
    pub selectors: Vec<String>,
}

impl Recorder {
    /// Makes the folder, before anything is sent.
    ///
    /// # Errors
    /// Where it cannot be made, or holds something already.
    pub fn prepare(dir: &Path) -> Result<(), RecordingError> {
        folder::make(dir)
    }

    /// Keeps a record.
    pub(crate) fn keep(&self, kept: SessionEntry) {
        self.tapes.lock().push(kept);
    }

    /// Keeps what the target is.
    pub(crate) fn describe(&self, target: IndexTarget) {
        *self.target.lock() = target;
    }

    /// Writes all of it below `dir`, secrets replaced; the index last, so that a folder with an
    /// index is whole.
    ///
    /// # Errors
    /// What cannot be written; [`RecordingError::Secret`] where a secret is left in it.
    pub fn write(
        &self,
        dir: &Path,
        result: &RunResult,
        asked: &RecordingPlan,
    ) -> Result<(), RecordingError> {
        let mut redactor = Redactor::new(&result.masks);
        let scan = Secrets::of(&result.masks);
        let mut tapes = std::mem::take(&mut *self.tapes.lock());
        // Walked side by side, they end in any order; those of one name keep theirs.
        tapes.sort_by(|a, b| a.scenario.cmp(&b.scenario));
        let below = dir.join(folder::TAPES);
        fs::create_dir_all(&below)
            .map_err(|source| RecordingError::File { path: below, source })?;
        let mut rows = Vec::with_capacity(tapes.len());
        for (at, kept) in tapes.iter().enumerate() {
            let file = folder::tape_file(at + 1, &result.masks.mask(&kept.scenario));
            publish(&dir.join(&file), &written(kept, &mut redactor), &scan)?;
            rows.push(RecordingIndexRow { scenario: result.masks.mask(&kept.scenario), file });
        }
        let index = RecordingIndex {
            format_version: FORMAT_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
            recorded_at: result.started_at.clone(),
            seed: result.seed,
            run_tag: asked.run_tag.clone(),
            strict: asked.strict,
            selectors: asked.selectors.clone(),
            exit_code: result.exit_code,
            target: self.target.lock().clone(),
            tapes: rows,
            placeholders: redactor.used(),
        };
        publish(&dir.join(folder::INDEX), &index, &scan)
    }
}

fn written(kept: &SessionEntry, redactor: &mut Redactor) -> Har {
    let mut call = |call: &RecordedAnswer| RecordedAnswer {
        key: redactor.text(&call.key),
        outcome: match &call.outcome {
            Ok(value) => Ok(redactor.value(value)),
            Err(trouble) => Err(har::shown(trouble, redactor)),
        },
    };
    let calls = kept.record.calls.iter().map(&mut call).collect();
    let entries = kept.record.exchanges.iter().map(|it| HarEntry::of(it, redactor)).collect();
    let destination = redacted(&kept.destination, redactor);
    Har {
        log: HarLog {
            version: "1.2".to_owned(),
            creator: HarCreator {
                name: "moot".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            entries,
            moot: HarSession {
                scenario: redactor.text(&kept.scenario),
                started_seconds: kept.started_seconds,
                destination,
                calls,
            },
        },
    }
}

fn redacted(destination: &DestinationRow, redactor: &mut Redactor) -> DestinationRow {
    let mut destination = destination.clone();
    for CredentialsRow { client_secret, .. } in destination.applications.values_mut() {
        *client_secret = redactor.text(client_secret);
    }
    for bound in destination.bindings.values_mut() {
        *bound = redactor.value(bound);
    }
    destination
}

fn publish(path: &Path, content: &impl Serialize, scan: &Secrets) -> Result<(), RecordingError> {
    let text = serde_json::to_string_pretty(content).map_err(|error| {
        RecordingError::Malformed { path: path.to_owned(), reason: error.to_string() }
    })?;
    if scan.is_in(&text) {
        return Err(RecordingError::Secret { path: path.to_owned() });
    }
    fs::write(path, text + "\n")
        .map_err(|source| RecordingError::File { path: path.to_owned(), source })
}
