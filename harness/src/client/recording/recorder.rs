//! Collects the session records of a run, and writes them after its end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;

use crate::client::recording::folder::{self, FORMAT_VERSION, RecordingError};
use crate::client::recording::har::{self, HarSession};
use crate::client::recording::index::{IndexTarget, RecordingIndex, RecordingIndexRow};
use crate::client::recording::redact::Redactor;
use crate::client::recording::session_record::{DestinationRow, RecordedAnswer, SessionRecord};
use crate::exchange::masks::{Masks, Secrets};

/// The session records of a run.
#[derive(Default)]
pub struct Recorder {
    sessions: Mutex<Vec<SessionRecord>>,
    target: Mutex<IndexTarget>,
}

/// The options of a run that are needed to judge it again.
#[derive(Debug, Clone)]
pub struct RecordingPlan {
    /// The tag of the run.
    pub run_tag: String,
    /// Whether a broken MUST of a standard is a failure.
    pub strict: bool,
    /// The selectors.
    pub selectors: Vec<String>,
}

/// The result of a recorded run.
pub struct RecordingEnd<'a> {
    /// Its secrets.
    pub masks: &'a Masks,
    /// When it began: ISO 8601 UTC.
    pub started_at: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Its exit code.
    pub exit_code: u8,
    /// Milliseconds of each scenario, all its rows.
    pub costs: BTreeMap<String, u64>,
}

impl Recorder {
    /// Creates the folder, before any request is sent.
    ///
    /// # Errors
    /// The folder can't be created, or is not empty.
    pub fn prepare(dir: &Path) -> Result<(), RecordingError> {
        folder::make(dir)
    }

    pub(crate) fn keep(&self, session: SessionRecord) {
        self.sessions.lock().push(session);
    }

    pub(crate) fn describe(&self, target: IndexTarget) {
        *self.target.lock() = target;
    }

    /// Writes all files to `dir`, without secrets. The index comes last, so that a folder with an index
    /// is complete.
    ///
    /// # Errors
    /// A file can't be written; [`RecordingError::Secret`] if one still has a secret.
    pub fn write(
        &self,
        dir: &Path,
        plan: RecordingPlan,
        end: &RecordingEnd<'_>,
    ) -> Result<(), RecordingError> {
        let mut redactor = Redactor::new(end.masks);
        let scan = Secrets::of(end.masks);
        let mut sessions = std::mem::take(&mut *self.sessions.lock());
        // Concurrent scenarios end in any order. The sort is stable, so the sessions of one scenario
        // keep their order.
        sessions.sort_by(|a, b| a.scenario.cmp(&b.scenario));
        let below = dir.join(folder::EXCHANGES);
        fs::create_dir_all(&below)
            .map_err(|source| RecordingError::File { path: below, source })?;
        let mut rows = Vec::with_capacity(sessions.len());
        for (at, session) in sessions.iter().enumerate() {
            let scenario = end.masks.mask(&session.scenario);
            let file = folder::session_file(at + 1, &scenario);
            publish(&dir.join(&file), &file_of(session, &mut redactor), &scan)?;
            rows.push(RecordingIndexRow { scenario, file });
        }
        let index = RecordingIndex {
            format_version: FORMAT_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
            recorded_at: end.started_at.to_owned(),
            seed: end.seed,
            run_tag: plan.run_tag,
            strict: plan.strict,
            selectors: plan.selectors,
            exit_code: end.exit_code,
            target: self.target.lock().clone(),
            costs: end.costs.clone(),
            sessions: rows,
            placeholders: redactor.used(),
        };
        publish(&dir.join(folder::INDEX), &index, &scan)
    }
}

fn file_of(session: &SessionRecord, redactor: &mut Redactor) -> Value {
    let mut call = |call: &RecordedAnswer| RecordedAnswer {
        key: redactor.text(&call.key),
        outcome: match &call.outcome {
            Ok(value) => Ok(redactor.value(value)),
            Err(trouble) => Err(redactor.trouble(trouble)),
        },
    };
    let calls = session.log.calls.iter().map(&mut call).collect();
    let entries: Vec<Value> =
        session.log.exchanges.iter().map(|it| har::entry(it, redactor)).collect();
    let moot = HarSession {
        scenario: redactor.text(&session.scenario),
        started_seconds: session.started_seconds,
        destination: redacted(&session.destination, redactor),
        calls,
    };
    har::file(&moot, &entries)
}

fn redacted(destination: &DestinationRow, redactor: &mut Redactor) -> DestinationRow {
    let mut destination = destination.clone();
    for credentials in destination.applications.values_mut() {
        credentials.client_secret = redactor.text(&credentials.client_secret);
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
