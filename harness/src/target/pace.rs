//! When the next request may leave: one token bucket for requests, and so many a minute for tokens.
//! Knows only time.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// `Retry-After` is respected up to so long.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(120);

/// In which [`Pace::a_minute`] counts.
const MINUTE: Duration = Duration::from_secs(60);

/// A rate, and what was used of it.
#[derive(Debug)]
pub struct Pace {
    rate: Rate,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy)]
enum Rate {
    Unpaced,
    /// One each `interval`; `burst` may leave at once after a rest.
    Bucket {
        interval: Duration,
        burst: u32,
    },
    /// So many in any minute, also at once.
    Minute(usize),
}

#[derive(Debug, Default)]
struct State {
    /// When the bucket is full again.
    full_at: Option<Instant>,
    /// The latest turns, as many as a minute has.
    latest: VecDeque<Instant>,
    /// The target asked to be left alone until then.
    blocked_until: Option<Instant>,
}

impl Pace {
    /// So many a minute, of which `burst` may leave at once; 0 a minute is unpaced.
    pub fn new(per_minute: u32, burst: u32) -> Self {
        let rate = match per_minute {
            0 => Rate::Unpaced,
            _ => Rate::Bucket { interval: MINUTE / per_minute, burst: burst.max(1) },
        };
        Self { rate, state: Mutex::default() }
    }

    /// So many in any minute, all of which may leave at once; 0 is unpaced.
    pub fn a_minute(turns: u32) -> Self {
        let rate = match turns {
            0 => Rate::Unpaced,
            _ => Rate::Minute(usize::try_from(turns).unwrap_or(usize::MAX)),
        };
        Self { rate, state: Mutex::default() }
    }

    /// Whether there is no rate at all.
    pub fn is_unpaced(&self) -> bool {
        matches!(self.rate, Rate::Unpaced)
    }

    /// Takes one turn and waits for it.
    pub async fn turn(&self) {
        let mut at = self.reserve(Instant::now());
        loop {
            // A timer rounds up to a millisecond, even one that is due.
            if at > Instant::now() {
                tokio::time::sleep_until(at).await;
            }
            // The target may have asked for a rest meanwhile: the turn stays taken, but waits on.
            match self.state.lock().blocked_until {
                Some(until) if until > Instant::now() => at = until,
                Some(_) | None => return,
            }
        }
    }

    /// Lets nothing leave from `now` on for so long, at most [`RETRY_AFTER_MAX`]; by how much that is
    /// longer than what was known.
    pub fn rest(&self, now: Instant, wait: Duration) -> Duration {
        let until = now + wait.min(RETRY_AFTER_MAX);
        let mut state = self.state.lock();
        let known = state.blocked_until.unwrap_or(now).max(now);
        state.blocked_until = Some(known.max(until));
        until.saturating_duration_since(known)
    }

    /// Waits until a rest is over, without taking a turn.
    pub async fn rested(&self) {
        let until = self.state.lock().blocked_until;
        if let Some(until) = until {
            tokio::time::sleep_until(until).await;
        }
    }

    /// Takes one turn without waiting for it: when it is.
    pub fn reserve(&self, now: Instant) -> Instant {
        let mut state = self.state.lock();
        let blocked = state.blocked_until.unwrap_or(now).max(now);
        match self.rate {
            Rate::Unpaced => blocked,
            Rate::Bucket { interval, burst } => {
                let full_at = state.full_at.unwrap_or(now).max(now);
                let slack = interval * (burst - 1);
                let at = full_at.checked_sub(slack).unwrap_or(now).max(blocked);
                state.full_at = Some(full_at.max(blocked) + interval);
                at
            }
            Rate::Minute(turns) => {
                let oldest =
                    if state.latest.len() < turns { None } else { state.latest.pop_front() };
                let at = oldest.map_or(blocked, |oldest| blocked.max(oldest + MINUTE));
                state.latest.push_back(at);
                at
            }
        }
    }
}

/// The wait that an answer asks for: `Retry-After` of 429 and 503, seconds or an HTTP date.
pub fn retry_after(
    status: u16,
    header: Option<&str>,
    now: std::time::SystemTime,
) -> Option<Duration> {
    if !matches!(status, 429 | 503) {
        return None;
    }
    let text = header?.trim();
    match text.parse::<u64>() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(now).ok(),
    }
}
