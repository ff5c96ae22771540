//! A recording, opened: the tapes of each scenario, handed out in the order they were made.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use super::folder::{self, RecordingError};
use super::har::Har;
use super::index::{Index, IndexTarget};
use super::tape::{Tape, VenueRow, absent};
use crate::exchange::Trouble;
use crate::masks::Masks;
use crate::target::address;
use crate::target::line::Line;
use crate::target::transport::{Carrier, Transport};
use crate::target::venue::{self, Admin, Rules, Venue};

/// A recording, opened.
pub struct Recording {
    pub(in crate::target) target: IndexTarget,
    carrier: Arc<Carrier>,
    reels: Mutex<BTreeMap<String, VecDeque<Reel>>>,
}

/// A tape that is to be played.
struct Reel {
    started_seconds: i64,
    venue: VenueRow,
    tape: Tape,
}

/// What a stage plays.
pub(in crate::target) struct Playing {
    pub(in crate::target) line: Line,
    pub(in crate::target) started_seconds: i64,
    pub(in crate::target) tape: Tape,
}

impl Recording {
    /// Reads the recording in `dir`, all of it.
    ///
    /// # Errors
    /// The first file that is missing or wrong.
    pub fn open(dir: &Path, masks: Arc<Masks>) -> Result<Self, RecordingError> {
        let index = Index::read(dir)?;
        // What stands for a secret is shown as the secret was.
        for (placeholder, label) in &index.placeholders {
            masks.hide(placeholder, label);
        }
        let mut reels: BTreeMap<String, VecDeque<Reel>> = BTreeMap::new();
        for row in &index.tapes {
            let path = dir.join(&row.file);
            let malformed =
                |reason: String| RecordingError::Malformed { path: path.clone(), reason };
            if !folder::is_below(&row.file) {
                return Err(malformed("it is outside of the recording's folder".to_owned()));
            }
            let log = folder::read::<Har>(&path)?.log;
            let entries = log.entries.into_iter().map(|entry| entry.exchange(&masks));
            let tape = Tape {
                exchanges: entries.collect::<Result<_, _>>().map_err(malformed)?,
                calls: log.moot.calls,
            };
            reels.entry(row.scenario.clone()).or_default().push_back(Reel {
                started_seconds: log.moot.started_seconds,
                venue: log.moot.venue,
                tape,
            });
        }
        let carrier = Arc::new(Carrier::new(Transport::Nowhere, masks));
        Ok(Self { target: index.target, carrier, reels: Mutex::new(reels) })
    }

    /// The way out, which leads nowhere.
    pub(in crate::target) fn carrier(&self) -> Arc<Carrier> {
        Arc::clone(&self.carrier)
    }

    /// What the next stage of this scenario plays.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] where the recording has no further one, [`Trouble::Broken`] where what
    /// it keeps is of no use.
    pub(in crate::target) fn stage(&self, scenario: &str) -> Result<Playing, Trouble> {
        let reel = self.reels.lock().get_mut(scenario).and_then(VecDeque::pop_front);
        let Reel { started_seconds, venue: row, tape } = reel.ok_or_else(|| absent(scenario))?;
        let broken = |reason| Trouble::Broken(format!("the recording of `{scenario}`: {reason}"));
        let base = address::base(&row.base_url).map_err(broken)?;
        let applications = row.applications();
        for (role, application) in &applications {
            venue::hide(role, application, &self.carrier.masks);
        }
        let admin =
            row.has_admin.then(|| Admin { url: address::below(&base, "/__admin"), token: None });
        let venue = Venue {
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
        let line = Line { carrier: self.carrier(), venue: Arc::new(venue) };
        Ok(Playing { line, started_seconds, tape })
    }
}
