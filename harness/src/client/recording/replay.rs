//! Reads a recording.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

use moot_fixtures::DataError;
use parking_lot::Mutex;

use crate::client::recording::folder;
use crate::client::recording::har::Har;
use crate::client::recording::index::{IndexTarget, RecordingIndex};
use crate::client::recording::session_record::{SessionRecord, absent};
use crate::exchange::Trouble;
use crate::exchange::masks::Masks;

/// A recording that was read.
pub struct Replay {
    pub(crate) target: IndexTarget,
    /// See [`RecordingIndex::repeated`].
    pub(crate) repeated: BTreeSet<String>,
    /// The sessions of each scenario, in the order of the recording.
    sessions: Mutex<BTreeMap<String, VecDeque<SessionRecord>>>,
}

impl Replay {
    /// Reads the whole recording in `dir`.
    ///
    /// # Errors
    /// A file is missing or invalid.
    pub fn open(dir: &Path, masks: &Arc<Masks>) -> Result<Self, DataError> {
        let index = RecordingIndex::read(dir)?;
        // Reports show the label of a secret instead of its placeholder.
        for (placeholder, label) in &index.placeholders {
            masks.hide(placeholder, label);
        }
        let mut sessions: BTreeMap<String, VecDeque<SessionRecord>> = BTreeMap::new();
        for row in index.sessions {
            let path = dir.join(&row.file);
            let malformed = |reason| folder::malformed(&path, reason);
            if !folder::is_below(&row.file) {
                return Err(malformed("it is outside the folder of the recording".to_owned()));
            }
            let log = folder::read::<Har>(&path)?.log;
            let exchanges = log.entries.into_iter().map(|entry| entry.exchange(masks));
            let mut session = log.moot;
            session.scenario.clone_from(&row.scenario);
            session.log.exchanges = exchanges.collect::<Result<_, _>>().map_err(malformed)?;
            sessions.entry(row.scenario).or_default().push_back(session);
        }
        let (target, repeated) = (index.target, index.repeated);
        Ok(Self { target, repeated, sessions: Mutex::new(sessions) })
    }

    /// The next session of this scenario.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if the recording has no further session.
    pub(crate) fn session(&self, scenario: &str) -> Result<SessionRecord, Trouble> {
        let next = self.sessions.lock().get_mut(scenario).and_then(VecDeque::pop_front);
        next.ok_or_else(|| absent(scenario))
    }
}
