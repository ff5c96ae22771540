//! The rate limit of §8: a maximum of accepted calls per minute and client address.
//!
//! The sliding window is exact. It keeps the time of every accepted call of the last 60 seconds. A refused call does
//! not count. So the next call is accepted exactly 60 seconds after the oldest one in the window.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use jiff::Timestamp;
use moot_fixtures::contract::{RATE_WINDOW_SECONDS, RateLimitWindow};
use parking_lot::Mutex;

use crate::value::limits::CLIENTS_MAX;

const SECOND: i64 = 1_000_000_000;
/// Nanoseconds of a window.
const WINDOW: i64 = RATE_WINDOW_SECONDS * SECOND;

/// Counts calls by client address.
#[derive(Debug)]
pub(crate) struct Limiter {
    pub(crate) calls_max: u32,
    window: RateLimitWindow,
    clients: Mutex<Clients>,
}

#[derive(Debug, Default)]
struct Clients {
    windows: BTreeMap<IpAddr, VecDeque<i64>>,
    /// Set while the windows of all clients count as full: the time of [`Limiter::exhaust_all`].
    exhausted_at: Option<i64>,
}

impl Limiter {
    /// Accepts `calls_max` calls a window.
    pub(crate) fn new(calls_max: u32, window: RateLimitWindow) -> Self {
        Self { calls_max, window, clients: Mutex::default() }
    }

    /// Counts a call of `client`, if it is within the limit.
    ///
    /// # Errors
    /// The call is beyond the limit. The error is the number of whole seconds until one would be accepted, at least 1.
    pub(crate) fn take(&self, client: IpAddr, now: Timestamp) -> Result<(), i64> {
        let client = client.to_canonical();
        let clients = &mut *self.clients.lock();
        let now = nanoseconds(now);
        if let Some(at) = clients.exhausted_at {
            if self.is_counted(at, now) {
                return Err(self.retry_after_seconds(at, now));
            }
            clients.exhausted_at = None;
        }
        if !clients.windows.contains_key(&client) {
            self.make_room(clients, now);
        }
        let window = clients.windows.entry(client).or_default();
        // If the clock is set back, no place becomes free.
        let now = window.back().map_or(now, |&last| last.max(now));
        while window.front().is_some_and(|&at| !self.is_counted(at, now)) {
            window.pop_front();
        }
        if window.len() < self.calls_max as usize {
            window.push_back(now);
            return Ok(());
        }
        Err(self.retry_after_seconds(window.front().copied().unwrap_or(now), now))
    }

    /// Removes all counts.
    pub(crate) fn reset(&self) {
        *self.clients.lock() = Clients::default();
    }

    /// Fills up the window of one client.
    pub(crate) fn exhaust(&self, client: IpAddr, now: Timestamp) {
        let now = nanoseconds(now);
        let clients = &mut *self.clients.lock();
        let client = client.to_canonical();
        self.make_room(clients, now);
        let full = std::iter::repeat_n(now, self.calls_max as usize).collect();
        clients.windows.insert(client, full);
    }

    /// Fills up the windows of all clients.
    pub(crate) fn exhaust_all(&self, now: Timestamp) {
        self.clients.lock().exhausted_at = Some(nanoseconds(now));
    }

    /// Number of calls of each client that count at `now`.
    pub(crate) fn counts(&self, now: Timestamp) -> Vec<(IpAddr, usize)> {
        let now = nanoseconds(now);
        let clients = self.clients.lock();
        let count =
            |window: &VecDeque<i64>| window.iter().filter(|&&at| self.is_counted(at, now)).count();
        clients.windows.iter().map(|(client, window)| (*client, count(window))).collect()
    }

    /// Whether a call accepted at `at` still uses a place at `now`.
    const fn is_counted(&self, at: i64, now: i64) -> bool {
        match self.window {
            RateLimitWindow::Sliding => now - at < WINDOW,
            RateLimitWindow::Fixed => at.div_euclid(WINDOW) == now.div_euclid(WINDOW),
        }
    }

    /// Seconds until a place is free, if the oldest one is used since `at`.
    const fn retry_after_seconds(&self, at: i64, now: i64) -> i64 {
        let free_at = match self.window {
            RateLimitWindow::Sliding => at + WINDOW,
            RateLimitWindow::Fixed => (now.div_euclid(WINDOW) + 1) * WINDOW,
        };
        // Rounded up, so that a call after this time is accepted.
        (free_at - now + SECOND - 1).div_euclid(SECOND)
    }

    /// Limits the number of clients: drops idle ones, or else the one with the fewest calls.
    fn make_room(&self, clients: &mut Clients, now: i64) {
        let windows = &mut clients.windows;
        if windows.len() < CLIENTS_MAX {
            return;
        }
        windows.retain(|_, window| window.back().is_some_and(|&last| self.is_counted(last, now)));
        if windows.len() >= CLIENTS_MAX
            && let Some((&client, _)) = windows.iter().min_by_key(|(_, window)| window.len())
        {
            windows.remove(&client);
        }
    }
}

/// Nanoseconds since 1970. They fit until the year 2262; a later time counts as that year.
fn nanoseconds(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(i64::MAX - 2 * WINDOW)
}
