//! A recording, opened: the tapes of each scenario, handed out in the order they were made.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::client::destination::{self, Admin, Destination, Rules};
use crate::client::service_client::ServiceClient;
use crate::client::transport::{Sender, Transport};
use crate::exchange::Trouble;
use crate::masks::Masks;
use crate::recording::folder::{self, RecordingError};
use crate::recording::har::Har;
use crate::recording::index::{IndexTarget, RecordingIndex};
use crate::recording::session_record::{DestinationRow, SessionRecord, absent};
use crate::target_file::address;

/// A recording, opened.
pub struct Replay {
    pub(crate) target: IndexTarget,
    sender: Arc<Sender>,
    reels: Mutex<BTreeMap<String, VecDeque<StoredSession>>>,
}

/// A record that is to be played.
struct StoredSession {
    started_seconds: i64,
    destination: DestinationRow,
    record: SessionRecord,
}

/// What a stage plays.
pub(crate) struct ReplayedSession {
    pub(crate) client: ServiceClient,
    pub(crate) started_seconds: i64,
    pub(crate) record: SessionRecord,
}

impl Replay {
    /// Reads the recording in `dir`, all of it.
    ///
    /// # Errors
    /// The first file that is missing or wrong.
    pub fn open(dir: &Path, masks: Arc<Masks>) -> Result<Self, RecordingError> {
        let index = RecordingIndex::read(dir)?;
        // What stands for a secret is shown as the secret was.
        for (placeholder, label) in &index.placeholders {
            masks.hide(placeholder, label);
        }
        let mut reels: BTreeMap<String, VecDeque<StoredSession>> = BTreeMap::new();
        for row in &index.tapes {
            let path = dir.join(&row.file);
            let malformed =
                |reason: String| RecordingError::Malformed { path: path.clone(), reason };
            if !folder::is_below(&row.file) {
                return Err(malformed("it is outside of the recording's folder".to_owned()));
            }
            let log = folder::read::<Har>(&path)?.log;
            let entries = log.entries.into_iter().map(|entry| entry.exchange(&masks));
            let record = SessionRecord {
                exchanges: entries.collect::<Result<_, _>>().map_err(malformed)?,
                calls: log.moot.calls,
            };
            reels.entry(row.scenario.clone()).or_default().push_back(StoredSession {
                started_seconds: log.moot.started_seconds,
                destination: log.moot.destination,
                record,
            });
        }
        let sender = Arc::new(Sender::new(Transport::Nowhere, masks));
        Ok(Self { target: index.target, sender, reels: Mutex::new(reels) })
    }

    /// The way out, which leads nowhere.
    pub(crate) fn sender(&self) -> Arc<Sender> {
        Arc::clone(&self.sender)
    }

    /// What the next stage of this scenario plays.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where the recording has no further one, [`Trouble::Broken`] where what
    /// it keeps is of no use.
    pub(crate) fn session(&self, scenario: &str) -> Result<ReplayedSession, Trouble> {
        let reel = self.reels.lock().get_mut(scenario).and_then(VecDeque::pop_front);
        let StoredSession { started_seconds, destination: row, record } =
            reel.ok_or_else(|| absent(scenario))?;
        let broken = |reason| Trouble::Broken(format!("the recording of `{scenario}`: {reason}"));
        let base = address::base(&row.base_url).map_err(broken)?;
        let applications = row.applications();
        for (role, application) in &applications {
            destination::hide(role, application, &self.sender.masks);
        }
        let admin =
            row.has_admin.then(|| Admin { url: address::below(&base, "/__admin"), token: None });
        let destination = Destination {
            endpoints: row.endpoints().map_err(broken)?,
            base,
            applications,
            bindings: row.bindings,
            admin,
            tokens: tokio::sync::Mutex::default(),
            refused: Mutex::default(),
            forms: Mutex::default(),
            rules: Rules::Sandbox,
        };
        let client = ServiceClient { sender: self.sender(), destination: Arc::new(destination) };
        Ok(ReplayedSession { client, started_seconds, record })
    }
}
