//! Recording and replaying a session.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

use crate::client::recording::recorder::Recorder;
use crate::client::recording::session_record::{
    DestinationRow, RecordedOutcome, SessionLog, SessionRecord, absent,
};
use crate::exchange::{Exchange, Trouble};

/// Whether a session records or replays.
pub(crate) enum RecordingMode {
    Off,
    /// Records everything that the session receives.
    Record(Arc<Recorder>, Mutex<SessionLog>),
    /// Returns what was recorded. A missing record is trouble.
    Replay(Mutex<SessionLog>),
}

impl RecordingMode {
    /// [`RecordingMode::Record`] if there is a recorder.
    pub(crate) fn new(recorder: Option<&Arc<Recorder>>) -> Self {
        recorder.map_or(Self::Off, |it| Self::Record(Arc::clone(it), Mutex::default()))
    }

    fn replayed(&self) -> Option<MutexGuard<'_, SessionLog>> {
        match self {
            Self::Replay(log) => Some(log.lock()),
            Self::Off | Self::Record(..) => None,
        }
    }

    fn recorded(&self) -> Option<MutexGuard<'_, SessionLog>> {
        match self {
            Self::Record(_, log) => Some(log.lock()),
            Self::Off | Self::Replay(_) => None,
        }
    }

    /// The recorded result of a call. `None` if this is no replay.
    pub(crate) fn outcome(&self, key: &str) -> Option<Result<Value, Trouble>> {
        Some(self.replayed()?.call(key))
    }

    /// The recorded exchange. `None` if this is no replay, or it has none.
    pub(crate) fn exchange(&self, method: &str, path: &str) -> Option<Exchange> {
        self.replayed()?.exchange(method, path)
    }

    /// The recorded exchanges of a burst. `None` if this is no replay.
    pub(crate) fn burst(&self, key: &str) -> Option<Result<Vec<Exchange>, Trouble>> {
        let mut log = self.replayed()?;
        let numbers = match log.call(key) {
            Ok(numbers) => numbers,
            Err(trouble) => return Some(Err(trouble)),
        };
        let numbers = numbers.as_array().into_iter().flatten().filter_map(Value::as_u64);
        Some(numbers.map(|number| log.numbered(number).ok_or_else(|| absent(key))).collect())
    }

    /// Records the result of a call.
    pub(crate) fn keep(&self, key: String, outcome: &Result<Value, Trouble>) {
        if let Some(mut log) = self.recorded() {
            log.calls.push(RecordedOutcome { key, outcome: outcome.clone() });
        }
    }

    /// Records an exchange.
    pub(crate) fn keep_exchange(&self, exchange: &Exchange) {
        if let Some(mut log) = self.recorded() {
            log.exchanges.push(exchange.clone());
        }
    }

    /// The number of results recorded so far.
    pub(crate) fn mark(&self) -> usize {
        self.recorded().map_or(0, |log| log.calls.len())
    }

    /// Records a value, and removes the results recorded since `mark`, which it replaces.
    pub(crate) fn keep_since(&self, mark: usize, key: String, value: Value) {
        if let Some(mut log) = self.recorded() {
            log.calls.truncate(mark);
            log.calls.push(RecordedOutcome { key, outcome: Ok(value) });
        }
    }

    /// Ends the session: passes its record to the recorder.
    pub(crate) fn close(
        self,
        scenario: String,
        started_seconds: i64,
        destination: impl FnOnce() -> DestinationRow,
    ) {
        if let Self::Record(recorder, log) = self {
            let (destination, log) = (destination(), log.into_inner());
            recorder.keep(SessionRecord { scenario, started_seconds, destination, log });
        }
    }
}
