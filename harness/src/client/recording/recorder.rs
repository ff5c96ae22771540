//! Collects the session records of a run, and writes them at its end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use moot_fixtures::DataError;
use parking_lot::Mutex;
use serde::Serialize;

use crate::client::recording::folder::{self, FORMAT_VERSION, FolderLock};
use crate::client::recording::har;
use crate::client::recording::index::{IndexTarget, RecordingIndex, RecordingIndexRow};
use crate::client::recording::session_record::SessionRecord;
use crate::exchange::masks::{Masks, Secrets};

/// The session records of a run.
#[derive(Default)]
pub struct Recorder {
    sessions: Mutex<Vec<SessionRecord>>,
    target: Mutex<IndexTarget>,
    /// See [`RecordingIndex::repeated`].
    repeated: Mutex<BTreeSet<String>>,
}

impl Recorder {
    /// Creates the folder, and locks it, before any request is sent.
    ///
    /// # Errors
    /// The folder can't be created, is not empty, or another run writes to it.
    pub fn prepare(dir: &Path) -> Result<FolderLock, DataError> {
        folder::make(dir)
    }

    pub(crate) fn keep(&self, session: SessionRecord) {
        self.sessions.lock().push(session);
    }

    /// Notes that the failed first pass of this scenario is repeated.
    pub(crate) fn keep_repeated(&self, scenario: &str) {
        self.repeated.lock().insert(scenario.to_owned());
    }

    pub(crate) fn describe(&self, target: IndexTarget) {
        *self.target.lock() = target;
    }

    /// Whether it has no session: no scenario has ended.
    pub fn is_empty(&self) -> bool {
        self.sessions.lock().is_empty()
    }

    /// Writes all files to `dir`, without the secrets of `masks`. `index` has the facts of the run. It is written
    /// last, so a folder with an index is complete.
    ///
    /// # Errors
    /// A file can't be written, or still has a secret.
    pub fn write(&self, dir: &Path, index: RecordingIndex, masks: &Masks) -> Result<(), DataError> {
        let secrets = Secrets::with_placeholders(masks);
        let mut sessions = std::mem::take(&mut *self.sessions.lock());
        // Concurrent scenarios end in any order. The sort is stable: the sessions of one scenario keep their order.
        sessions.sort_by(|a, b| a.scenario.cmp(&b.scenario));
        let below = dir.join(folder::EXCHANGES);
        fs::create_dir_all(&below).map_err(|why| folder::unwritable(&below, &why))?;
        let mut rows = Vec::with_capacity(sessions.len());
        for (at, session) in sessions.into_iter().enumerate() {
            let scenario = masks.mask(&session.scenario);
            let file = folder::session_file(at + 1, &scenario);
            publish(&dir.join(&file), &har::file(session, &secrets), &secrets)?;
            rows.push(RecordingIndexRow { scenario, file });
        }
        let index = RecordingIndex {
            format_version: FORMAT_VERSION,
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
            target: self.target.lock().clone(),
            repeated: self.repeated.lock().iter().map(|name| masks.mask(name)).collect(),
            sessions: rows,
            placeholders: secrets.used(),
            ..index
        };
        publish(&dir.join(folder::INDEX), &index, &secrets)
    }
}

fn publish(path: &Path, content: &impl Serialize, secrets: &Secrets) -> Result<(), DataError> {
    let text = serde_json::to_string_pretty(content).map_err(|why| folder::malformed(path, why))?;
    if secrets.is_in(&text) {
        let why = "it was not written, because it would contain a secret";
        return Err(folder::error(path, why));
    }
    fs::write(path, text + "\n").map_err(|why| folder::unwritable(path, &why))
}
