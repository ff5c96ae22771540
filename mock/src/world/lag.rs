//! Lists that lag (answer `list_lag`): they show the data as it was some seconds ago, as the replica of a
//! database does. Single objects are always read as they are now.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use moot_fixtures::contract::Answers;
use parking_lot::Mutex;

use crate::world::state::State;
use crate::world::state::change::Change;

/// The data as lists show it.
#[derive(Debug)]
pub(crate) struct LaggingLists {
    lag: SignedDuration,
    state: State,
    /// Changes that lists do not show yet, oldest first, each with its time.
    pending: VecDeque<(Timestamp, Change)>,
    /// The time of the latest call. A change gets this time.
    now: Timestamp,
}

impl LaggingLists {
    /// Lists of this state; `None` if they do not lag by these answers.
    pub(crate) fn of(answers: &Answers, state: impl FnOnce() -> State) -> Option<Mutex<Self>> {
        let lag = SignedDuration::from_secs(answers.list_lag.into());
        (!lag.is_zero()).then(|| {
            let (pending, now) = (VecDeque::new(), Timestamp::MIN);
            Mutex::new(Self { lag, state: state(), pending, now })
        })
    }

    /// Sets the time of the world.
    pub(crate) fn note_time(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Queues a change that lists show later.
    pub(crate) fn note_change(&mut self, change: Change) {
        self.pending.push_back((self.now, change));
    }

    /// The data as lists show it at `now`.
    pub(crate) fn at(&mut self, now: Timestamp) -> &State {
        // If the clock was set back after a change, the change is shown at once.
        let is_hidden = |at: Timestamp| at <= now && now.duration_since(at) < self.lag;
        while let Some((_, change)) = self.pending.pop_front_if(|(at, _)| !is_hidden(*at)) {
            self.state.apply(change);
        }
        &self.state
    }
}
