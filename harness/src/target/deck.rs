//! What stands between a stage and its line: nothing, a recorder, or the tape of another run.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::recording::recorder::{Kept, Recorder};
use super::recording::tape::{Call, Tape, VenueRow, absent};
use super::venue::Venue;
use crate::exchange::{Exchange, Trouble};

/// Keeps what a stage is told, or says again what another stage was told.
pub(super) enum Deck {
    /// Neither.
    Empty,
    /// Keeps, for this scenario.
    Recording(String, Arc<Recorder>, Mutex<Tape>),
    /// Says again. What the tape does not hold is trouble, never asked for.
    Playing(Mutex<Tape>),
}

impl Deck {
    /// Keeps for `recorder` what the stage of `scenario` is told.
    pub(super) fn recording(scenario: &str, recorder: &Arc<Recorder>) -> Self {
        Self::Recording(scenario.to_owned(), Arc::clone(recorder), Mutex::default())
    }

    /// What was told before; `None` where nothing is played.
    pub(super) fn told(&self, key: &str) -> Option<Result<Value, Trouble>> {
        match self {
            Self::Playing(tape) => Some(tape.lock().call(key)),
            Self::Empty | Self::Recording(..) => None,
        }
    }

    /// As [`Deck::told`], of a text.
    pub(super) fn text(&self, key: &str) -> Option<Result<String, Trouble>> {
        let told = self.told(key)?;
        Some(told.and_then(|value| value.as_str().map(str::to_owned).ok_or_else(|| absent(key))))
    }

    /// The exchange that was had before; `None` where nothing is played, or the tape has none.
    pub(super) fn exchange(&self, method: &str, path: &str) -> Option<Exchange> {
        match self {
            Self::Playing(tape) => tape.lock().exchange(method, path),
            Self::Empty | Self::Recording(..) => None,
        }
    }

    /// The exchanges of a burst; `None` where nothing is played.
    pub(super) fn burst(&self, key: &str) -> Option<Result<Vec<Exchange>, Trouble>> {
        let numbers = match self.told(key)? {
            Ok(numbers) => numbers,
            Err(trouble) => return Some(Err(trouble)),
        };
        let Self::Playing(tape) = self else { return None };
        let mut tape = tape.lock();
        let numbers = numbers.as_array().into_iter().flatten().filter_map(Value::as_u64);
        Some(numbers.map(|number| tape.numbered(number).ok_or_else(|| absent(key))).collect())
    }

    /// Keeps an answer, where that is wanted.
    pub(super) fn keep(&self, key: String, outcome: &Result<Value, Trouble>) {
        if let Self::Recording(_, _, tape) = self {
            tape.lock().calls.push(Call { key, outcome: outcome.clone() });
        }
    }

    /// Keeps a text, and passes it on.
    pub(super) fn keep_text(
        &self,
        key: String,
        told: Result<String, Trouble>,
    ) -> Result<String, Trouble> {
        self.keep(key, &told.clone().map(Value::String));
        told
    }

    /// Keeps an exchange, where that is wanted.
    pub(super) fn keep_exchange(&self, exchange: &Exchange) {
        if let Self::Recording(_, _, tape) = self {
            tape.lock().exchanges.push(exchange.clone());
        }
    }

    /// How many answers are kept.
    pub(super) fn mark(&self) -> usize {
        match self {
            Self::Recording(_, _, tape) => tape.lock().calls.len(),
            Self::Empty | Self::Playing(_) => 0,
        }
    }

    /// Forgets the answers kept since `mark`.
    pub(super) fn cut(&self, mark: usize) {
        if let Self::Recording(_, _, tape) = self {
            tape.lock().calls.truncate(mark);
        }
    }

    /// Hands over what was kept.
    pub(super) fn close(self, started_seconds: i64, venue: &Venue) {
        if let Self::Recording(scenario, recorder, tape) = self {
            let (venue, tape) = (VenueRow::of(venue), tape.into_inner());
            recorder.keep(Kept { scenario, started_seconds, venue, tape });
        }
    }
}
