//! What stands between a stage and its line: nothing, a recorder, or the record of another run.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use crate::client::destination::Destination;
use crate::exchange::{Exchange, Trouble};
use crate::recording::recorder::{Recorder, SessionEntry};
use crate::recording::session_record::{DestinationRow, RecordedAnswer, SessionRecord, absent};

/// Keeps what a stage is told, or says again what another stage was told.
pub(crate) enum RecordingMode {
    /// Neither.
    Empty,
    /// Keeps, for this scenario.
    Recording(String, Arc<Recorder>, Mutex<SessionRecord>),
    /// Says again. What the record does not hold is trouble, never asked for.
    Replaying(Mutex<SessionRecord>),
}

impl RecordingMode {
    /// Keeps for `recorder` what the stage of `scenario` is told.
    pub(crate) fn recording(scenario: &str, recorder: &Arc<Recorder>) -> Self {
        Self::Recording(scenario.to_owned(), Arc::clone(recorder), Mutex::default())
    }

    /// What was told before; `None` where nothing is played.
    pub(crate) fn told(&self, key: &str) -> Option<Result<Value, Trouble>> {
        match self {
            Self::Replaying(record) => Some(record.lock().call(key)),
            Self::Empty | Self::Recording(..) => None,
        }
    }

    /// As [`RecordingMode::told`], of a text.
    pub(crate) fn text(&self, key: &str) -> Option<Result<String, Trouble>> {
        let told = self.told(key)?;
        Some(told.and_then(|value| value.as_str().map(str::to_owned).ok_or_else(|| absent(key))))
    }

    /// The exchange that was had before; `None` where nothing is played, or the record has none.
    pub(crate) fn exchange(&self, method: &str, path: &str) -> Option<Exchange> {
        match self {
            Self::Replaying(record) => record.lock().exchange(method, path),
            Self::Empty | Self::Recording(..) => None,
        }
    }

    /// The exchanges of a burst; `None` where nothing is played.
    pub(crate) fn burst(&self, key: &str) -> Option<Result<Vec<Exchange>, Trouble>> {
        let numbers = match self.told(key)? {
            Ok(numbers) => numbers,
            Err(trouble) => return Some(Err(trouble)),
        };
        let Self::Replaying(record) = self else { return None };
        let mut record = record.lock();
        let numbers = numbers.as_array().into_iter().flatten().filter_map(Value::as_u64);
        Some(numbers.map(|number| record.numbered(number).ok_or_else(|| absent(key))).collect())
    }

    /// Keeps an answer, where that is wanted.
    pub(crate) fn keep(&self, key: String, outcome: &Result<Value, Trouble>) {
        if let Self::Recording(_, _, record) = self {
            record.lock().calls.push(RecordedAnswer { key, outcome: outcome.clone() });
        }
    }

    /// Keeps a text, and passes it on.
    pub(crate) fn keep_text(
        &self,
        key: String,
        told: Result<String, Trouble>,
    ) -> Result<String, Trouble> {
        self.keep(key, &told.clone().map(Value::String));
        told
    }

    /// Keeps an exchange, where that is wanted.
    pub(crate) fn keep_exchange(&self, exchange: &Exchange) {
        if let Self::Recording(_, _, record) = self {
            record.lock().exchanges.push(exchange.clone());
        }
    }

    /// How many answers are kept.
    pub(crate) fn mark(&self) -> usize {
        match self {
            Self::Recording(_, _, record) => record.lock().calls.len(),
            Self::Empty | Self::Replaying(_) => 0,
        }
    }

    /// Forgets the answers kept since `mark`.
    pub(crate) fn cut(&self, mark: usize) {
        if let Self::Recording(_, _, record) = self {
            record.lock().calls.truncate(mark);
        }
    }

    /// Hands over what was kept.
    pub(crate) fn close(self, started_seconds: i64, destination: &Destination) {
        if let Self::Recording(scenario, recorder, record) = self {
            let (destination, record) = (DestinationRow::of(destination), record.into_inner());
            recorder.keep(SessionEntry { scenario, started_seconds, destination, record });
        }
    }
}
