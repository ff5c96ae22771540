//! Values of earlier exchanges of a run, for the implicit checks.

use std::collections::{BTreeMap, HashMap};

use parking_lot::Mutex;

/// The largest number of keys of one [`FirstValues`]. Further keys are not compared.
const KEYS_MAX: usize = 200_000;

/// Values of earlier exchanges of a run.
#[derive(Debug, Default)]
pub struct ImplicitContext {
    /// The path of the base address without a slash at its end: `/api`, or empty.
    pub base_path: String,
    /// By request id: the number of its first exchange.
    pub(super) request_ids: FirstValues<u64>,
    /// By `detail`: the status and the type of its first problem.
    pub(super) details: FirstValues<(u16, String)>,
    /// By operation and creation time: the first resource or token.
    pub(super) creations: FirstValues<FirstCreation>,
    /// By resource: its first creation time, in seconds since 1970.
    pub(super) creation_times: FirstValues<i64>,
    /// By kind and id of a legal request or document: the end of the first response that showed it, in seconds since
    /// 1970, by the clock of this machine.
    pub(super) shown_ids: FirstValues<i64>,
    /// By legal request of this run: the time of its creation.
    pub(super) legal_requests: FirstValues<CreationClock>,
    /// The number of seconds by which the first `Date` was ahead of the clock of this machine.
    pub(super) dates: FirstValues<i64>,
    /// Seconds by which an operator moves the clock of the service, by the cause. `Date` may come from a proxy, whose
    /// clock stays.
    moved_seconds: Mutex<BTreeMap<String, i64>>,
    /// Whether the clock of the service can be moved: that of a mock, or by an operator. An earlier run may have done so.
    pub(super) has_movable_clock: bool,
}

impl ImplicitContext {
    /// An empty context.
    pub fn new(base_path: &str, has_movable_clock: bool) -> Self {
        let base_path = base_path.trim_end_matches('/').to_owned();
        Self { base_path, has_movable_clock, ..Self::default() }
    }

    /// Notes that an operator moves the clock of the service forward. Each cause counts once.
    pub fn note_clock_moved(&self, cause: String, seconds: i64) {
        self.moved_seconds.lock().insert(cause, seconds);
    }

    /// Seconds by which an operator has moved the clock of the service, at most.
    pub(super) fn moved_seconds(&self) -> i64 {
        self.moved_seconds.lock().values().copied().fold(0, i64::saturating_add)
    }
}

/// The first resource or token with a creation time. Times are in seconds since 1970.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstCreation {
    /// Its id, or the token.
    pub(super) made: String,
    /// The `Date` of its response, if it has one.
    pub(super) date: Option<i64>,
    /// The end of its response by our clock.
    pub(super) answered_at: i64,
}

/// The time at which a legal request was created, in seconds since 1970.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CreationClock {
    pub(super) at: i64,
    /// Whether it is the `Date` of the response. If not, it is the time of this machine.
    pub(super) is_date: bool,
}

/// The first value of each key, by the base address of the service.
#[derive(Debug, Default)]
pub(super) struct FirstValues<V>(Mutex<HashMap<(String, String), V>>);

impl<V: Clone> FirstValues<V> {
    /// The first value of `key` at the base address `base`. If there is none, it becomes `value`.
    pub(super) fn or_remember(&self, base: &str, key: &str, value: V) -> V {
        let mut known = self.0.lock();
        let key = (base.to_owned(), key.to_owned());
        if let Some(first) = known.get(&key) {
            return first.clone();
        }
        if known.len() < KEYS_MAX {
            known.insert(key, value.clone());
        }
        value
    }

    /// The first value of `key`.
    pub(super) fn get(&self, base: &str, key: &str) -> Option<V> {
        self.0.lock().get(&(base.to_owned(), key.to_owned())).cloned()
    }
}
