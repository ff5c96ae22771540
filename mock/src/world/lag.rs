//! Lists that lag (answer `list_lag`): they show the data as it was some seconds ago, as the replica of a
//! database does. Single objects are always read as they are now.

use std::collections::VecDeque;
use std::ops::Deref;

use jiff::{SignedDuration, Timestamp};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

use crate::world::state::State;
use crate::world::state::change::Change;

/// The data as lists show it.
#[derive(Debug)]
pub(crate) struct LaggingLists {
    lag: SignedDuration,
    replica: Mutex<Replica>,
}

#[derive(Debug)]
struct Replica {
    state: State,
    /// Changes that lists do not show yet, oldest first, each with its time.
    pending: VecDeque<(Timestamp, Change)>,
    /// The time of the latest call. A change gets this time.
    now: Timestamp,
}

/// The data that a list is read from.
pub(crate) enum ListedState<'w> {
    Current(&'w State),
    Earlier(MappedMutexGuard<'w, State>),
}

impl LaggingLists {
    /// Lists of this state that lag by `seconds`.
    pub(crate) fn new(seconds: u32, state: State) -> Self {
        let replica = Replica { state, pending: VecDeque::new(), now: Timestamp::MIN };
        Self { lag: SignedDuration::from_secs(seconds.into()), replica: Mutex::new(replica) }
    }

    /// Sets the time of the world.
    pub(crate) fn note_time(&self, now: Timestamp) {
        self.replica.lock().now = now;
    }

    /// Queues a change that lists show later.
    pub(crate) fn note_change(&self, change: Change) {
        let mut replica = self.replica.lock();
        let now = replica.now;
        replica.pending.push_back((now, change));
    }

    /// The data as lists show it at `now`.
    pub(crate) fn at(&self, now: Timestamp) -> ListedState<'_> {
        let mut replica = self.replica.lock();
        while let Some((at, _)) = replica.pending.front() {
            // The clock was set back after this change, so the change is shown at once.
            if *at <= now && now.duration_since(*at) < self.lag {
                break;
            }
            if let Some((_, change)) = replica.pending.pop_front() {
                replica.state.apply(change);
            }
        }
        ListedState::Earlier(MutexGuard::map(replica, |replica| &mut replica.state))
    }
}

impl Deref for ListedState<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        match self {
            Self::Current(state) => state,
            Self::Earlier(state) => state,
        }
    }
}
