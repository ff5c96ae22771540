//! One token bucket: when the next request may leave. Knows only time.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// `Retry-After` is respected up to so long.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(120);

/// A rate, and what was used of it.
#[derive(Debug)]
pub struct Pace {
    /// Between two requests; `None` is unpaced.
    interval: Option<Duration>,
    /// So many may leave at once after a rest.
    burst: u32,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the bucket is full again.
    full_at: Option<Instant>,
    /// The target asked to be left alone until then.
    blocked_until: Option<Instant>,
}

impl Pace {
    /// So many a minute, of which `burst` may leave at once; 0 a minute is unpaced.
    pub fn new(per_minute: u32, burst: u32) -> Self {
        let interval = (per_minute > 0).then(|| Duration::from_secs(60) / per_minute);
        Self { interval, burst: burst.max(1), state: Mutex::default() }
    }

    /// Whether there is no rate at all.
    pub fn is_unpaced(&self) -> bool {
        self.interval.is_none()
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

    /// Lets nothing leave from `now` on for so long, at most [`RETRY_AFTER_MAX`].
    pub fn rest(&self, now: Instant, wait: Duration) {
        let until = now + wait.min(RETRY_AFTER_MAX);
        let mut state = self.state.lock();
        state.blocked_until = state.blocked_until.max(Some(until));
    }

    /// Takes one turn without waiting for it: when it is.
    pub fn reserve(&self, now: Instant) -> Instant {
        let mut state = self.state.lock();
        let blocked = state.blocked_until.unwrap_or(now).max(now);
        let Some(interval) = self.interval else { return blocked };
        let full_at = state.full_at.unwrap_or(now).max(now);
        let slack = interval * (self.burst - 1);
        let at = full_at.checked_sub(slack).unwrap_or(now).max(blocked);
        state.full_at = Some(full_at.max(blocked) + interval);
        at
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
