//! Pacing: the time of the next request, so that no minute has more requests than the rate.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The longest `Retry-After` that a run waits for.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(120);

/// The window in which a rate is counted. It is a second longer than a minute, because the time on the network varies.
pub const MINUTE: Duration = Duration::from_secs(61);

/// The target certainly counts requests of this time when it refuses another one.
const SURELY_COUNTED: Duration = Duration::from_secs(59);

/// The time until which requests are held back, for the progress display.
#[derive(Debug, Default)]
pub struct PaceWait(Mutex<Option<std::time::Instant>>);

impl PaceWait {
    /// The remaining time.
    pub fn left(&self, now: std::time::Instant) -> Option<Duration> {
        self.0.lock().map(|until| until.saturating_duration_since(now))
    }

    async fn until(&self, at: Instant) {
        *self.0.lock() = Some(at.into_std());
        tokio::time::sleep_until(at).await;
        *self.0.lock() = None;
    }
}

/// The number of requests per minute that is assumed to be within the limit, as long as the limit is unknown.
const ASSUMED_LIMIT: usize = 8;

/// Turns that are remembered without a rate. They are counted when the target refuses a request for its limit.
const REMEMBERED_MAX: usize = 600;

/// A rate of requests, and its use so far.
#[derive(Debug)]
pub struct RequestPace {
    /// The most requests in any [`MINUTE`]. 0 is unpaced.
    per_minute: usize,
    /// Requests that may be sent at once. Then one per `interval`.
    burst: u32,
    interval: Duration,
    state: Mutex<PaceState>,
    /// A fair queue for a turn.
    line: tokio::sync::Mutex<()>,
    wait: Arc<PaceWait>,
}

#[derive(Debug, Default)]
struct PaceState {
    /// When the token bucket is full again.
    full_at: Option<Instant>,
    /// The latest turns: those of a minute, or [`REMEMBERED_MAX`].
    latest: VecDeque<Instant>,
    /// Requests in a [`MINUTE`] that the target accepted before it refused one for its limit.
    observed_limit: Option<usize>,
    /// The number of requests that it refused for its limit.
    refusals: u32,
    /// The end of the back-off that the target asked for.
    blocked_until: Option<Instant>,
}

impl RequestPace {
    /// At most `per_minute` requests in any minute. `burst` of them may be sent at once, the others follow evenly. 0 is
    /// unpaced.
    pub fn new(per_minute: u32, burst: u32) -> Self {
        Self {
            per_minute: usize::try_from(per_minute).unwrap_or(usize::MAX),
            burst: burst.max(1),
            interval: Duration::from_secs(60) / per_minute.max(1),
            state: Mutex::default(),
            line: tokio::sync::Mutex::default(),
            wait: Arc::default(),
        }
    }

    /// The same pace. It updates `wait` while it waits.
    pub fn watched_by(self, wait: &Arc<PaceWait>) -> Self {
        Self { wait: Arc::clone(wait), ..self }
    }

    /// At most this number of requests in any minute, all of which may be sent at once. 0 is unpaced.
    pub fn a_minute(turns: u32) -> Self {
        Self::new(turns, turns)
    }

    /// Whether there is no rate.
    pub fn is_unpaced(&self) -> bool {
        self.per_minute == 0
    }

    /// The requests per minute that the target accepts: the configured rate, or the observed limit.
    pub fn limit(&self) -> Option<usize> {
        let state = self.state.lock();
        let given = Some(self.per_minute).filter(|rate| *rate > 0);
        given.or(state.observed_limit).or((state.refusals > 0).then_some(ASSUMED_LIMIT))
    }

    /// Records that the target refused the latest turn for its limit. The limit is the number of requests in the minute
    /// before. If that number is small, the cause of the first refusal may be an earlier run, so it does not count.
    pub fn refused(&self, now: Instant) {
        let mut state = self.state.lock();
        state.latest.pop_back();
        let taken = taken_since(&state, now, SURELY_COUNTED).max(1);
        state.refusals += 1;
        if taken >= ASSUMED_LIMIT || state.refusals > 1 {
            state.observed_limit = state.observed_limit.max(Some(taken));
        }
    }

    /// The number of turns in the last minute.
    pub fn recent(&self, now: Instant) -> usize {
        taken_since(&self.state.lock(), now, MINUTE)
    }

    /// Whether there is a back-off now.
    pub fn is_blocked(&self, now: Instant) -> bool {
        self.state.lock().blocked_until.is_some_and(|until| until > now)
    }

    /// The number of turns within the limit that are free now. An unknown limit is assumed.
    pub fn free(&self, now: Instant) -> usize {
        match self.is_blocked(now) {
            true => 0,
            false => self.limit().unwrap_or(ASSUMED_LIMIT).saturating_sub(self.recent(now)),
        }
    }

    /// The time for sending many requests at once, after at most `earlier_max` others in the same minute.
    pub fn burst_at(&self, now: Instant, earlier_max: usize) -> Instant {
        let state = self.state.lock();
        let counted = state.latest.iter().rev().nth(earlier_max).map(|at| *at + MINUTE);
        state.blocked_until.into_iter().chain(counted).fold(now, Instant::max)
    }

    /// The time at which requests that are evenly spaced over `time` may begin. Together with earlier requests no
    /// minute has more than `requests`.
    pub fn spaced_at(&self, now: Instant, requests: u32, time: Duration) -> Instant {
        let state = self.state.lock();
        let interval = time / requests.max(1);
        let counted = (1..).zip(state.latest.iter().rev()).filter_map(|(earlier, at)| {
            // The number of requests that may be sent before this earlier one leaves the minute.
            let free = requests.saturating_sub(earlier);
            (*at + MINUTE).checked_sub(interval * free)
        });
        state.blocked_until.into_iter().chain(counted).fold(now, Instant::max)
    }

    /// Waits until `at`.
    pub async fn wait_until(&self, at: Instant) {
        self.wait.until(at).await;
    }

    /// Counts a request that took no turn.
    pub fn count(&self, now: Instant) {
        remember(&mut self.state.lock(), now, self.per_minute);
    }

    /// Waits for a turn and takes it.
    pub async fn turn(&self) {
        let _line = self.line.lock().await;
        while let Err(at) = self.take(Instant::now()) {
            self.wait.until(at).await;
        }
    }

    /// Waits for a turn of both paces, and takes both at the same time. One that was taken before the wait for the
    /// other would be counted too early.
    pub async fn turn_with(&self, other: &Self) {
        let _line = self.line.lock().await;
        loop {
            let now = Instant::now();
            let at = self.free_at(&self.state.lock(), now);
            if at > now {
                self.wait.until(at).await;
                continue;
            }
            other.turn().await;
            // A back-off may have begun meanwhile.
            if self.take(Instant::now()).is_ok() {
                return;
            }
        }
    }

    /// Starts a back-off of `wait`, at most [`RETRY_AFTER_MAX`]. Returns the time by which that extends the current
    /// back-off.
    pub fn back_off(&self, now: Instant, wait: Duration) -> Duration {
        let until = now + wait.min(RETRY_AFTER_MAX);
        let mut state = self.state.lock();
        let known = state.blocked_until.unwrap_or(now).max(now);
        state.blocked_until = Some(known.max(until));
        until.saturating_duration_since(known)
    }

    /// Waits until the end of a back-off, without taking a turn.
    pub async fn wait_for_back_off(&self) {
        let until = self.state.lock().blocked_until;
        if let Some(until) = until {
            self.wait.until(until).await;
        }
    }

    /// Takes a turn that is free now.
    ///
    /// # Errors
    /// The time at which the next turn is free.
    pub fn take(&self, now: Instant) -> Result<(), Instant> {
        let mut state = self.state.lock();
        let at = self.free_at(&state, now);
        if at > now {
            return Err(at);
        }
        if !self.is_unpaced() {
            state.full_at = Some(state.full_at.unwrap_or(now).max(now) + self.interval);
        }
        remember(&mut state, now, self.per_minute);
        Ok(())
    }

    /// The time of the next free turn, not before `now`.
    fn free_at(&self, state: &PaceState, now: Instant) -> Instant {
        let not_before = state.blocked_until.unwrap_or(now).max(now);
        if self.is_unpaced() {
            return not_before;
        }
        let slack = self.interval * (self.burst - 1);
        let filled = state.full_at.and_then(|full_at| full_at.checked_sub(slack));
        let oldest =
            state.latest.len().checked_sub(self.per_minute).and_then(|at| state.latest.get(at));
        let counted = oldest.map(|oldest| *oldest + MINUTE);
        [filled, counted].into_iter().flatten().fold(not_before, Instant::max)
    }
}

fn remember(state: &mut PaceState, now: Instant, per_minute: usize) {
    if state.latest.len() >= per_minute.max(REMEMBERED_MAX) {
        state.latest.pop_front();
    }
    state.latest.push_back(now);
}

fn taken_since(state: &PaceState, now: Instant, window: Duration) -> usize {
    state.latest.iter().filter(|turn| **turn + window > now).count()
}

/// The wait that a response asks for: `Retry-After` of 429 and 503, in seconds or as an HTTP date.
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
