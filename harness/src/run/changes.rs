//! What a run changed itself, and how long lists may take to show it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;

use crate::exchange::Exchange;

/// The first pause before a list is read again. Each further one is twice as long.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// A pause where the clock of the target is moved, which counts whole seconds.
const PAUSE_BY_CLOCK: Duration = Duration::from_secs(1);

/// How long the lists of one scenario may still settle. Zero until the scenario changes something;
/// every pause is taken from it, so that many checks after one change wait only once.
#[derive(Debug, Default)]
pub(super) struct SettleTime {
    left: Mutex<SettleLeft>,
}

#[derive(Debug, Default)]
struct SettleLeft {
    rest: Duration,
    waited: Duration,
}

impl SettleTime {
    /// Something changed just now.
    pub(super) fn renew(&self, whole: Duration) {
        *self.left.lock() = SettleLeft { rest: whole, waited: Duration::ZERO };
    }

    /// The next pause; `None` once the time is used up.
    pub(super) fn pause(&self, is_by_clock: bool) -> Option<Duration> {
        let mut left = self.left.lock();
        let wanted = match is_by_clock {
            true => PAUSE_BY_CLOCK,
            false => left.waited.max(PAUSE_FIRST),
        };
        let pause = wanted.min(left.rest);
        left.rest -= pause;
        left.waited += pause;
        (!pause.is_zero()).then_some(pause)
    }

    /// All pauses since the latest change.
    pub(super) fn waited(&self) -> Duration {
        self.left.lock().waited
    }
}

/// What the run changed itself. A list may show it late.
#[derive(Debug, Default)]
pub(super) struct OwnChanges {
    /// When something was changed last.
    latest: Mutex<Option<Instant>>,
    created: Mutex<BTreeSet<String>>,
    deleted: Mutex<BTreeSet<String>>,
    /// The longest lag that was seen.
    lag: Mutex<Duration>,
}

impl OwnChanges {
    /// Something changed just now.
    pub(super) fn note(&self) {
        *self.latest.lock() = Some(Instant::now());
    }

    /// Notes what a call that succeeded created or deleted.
    pub(super) fn note_effect(&self, exchange: &Exchange) {
        let Ok(response) = &exchange.outcome else { return };
        if !(200..300).contains(&response.status) {
            return;
        }
        match exchange.request.operation {
            Some(
                Operation::CreateLegalRequest
                | Operation::CreateRepositoryDocument
                | Operation::CreateWebhook,
            ) => {
                let id = response.json.as_ref().and_then(|json| json.pointer("/data/id")?.as_str());
                self.created.lock().extend(id.map(str::to_owned));
            }
            Some(Operation::DeleteWebhook) => {
                let id = exchange.request.path.rsplit('/').next();
                self.deleted.lock().extend(id.map(str::to_owned));
            }
            _ => {}
        }
    }

    /// Whether a list may show this object late: the run created it by a call that succeeded.
    pub(super) fn is_created(&self, id: &str) -> bool {
        self.created.lock().contains(id)
    }

    /// Whether a list may drop this object late: the run deleted it by a call that succeeded.
    pub(super) fn is_deleted(&self, id: &str) -> bool {
        self.deleted.lock().contains(id)
    }

    /// A list took this long to show a change.
    pub(super) fn note_lag(&self, lag: Duration) {
        let mut longest = self.lag.lock();
        *longest = lag.max(*longest);
    }

    /// How long to wait until lists show the latest change, by the longest lag that was seen.
    pub(super) fn unsettled(&self) -> Duration {
        let lag = *self.lag.lock();
        let since = self.latest.lock().map_or(lag, |latest| latest.elapsed());
        lag.saturating_sub(since)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{OwnChanges, SettleTime};

    fn pauses(time: &SettleTime, is_by_clock: bool) -> Vec<u128> {
        std::iter::from_fn(|| time.pause(is_by_clock)).map(|pause| pause.as_millis()).collect()
    }

    #[test]
    fn pauses_grow_and_add_up_to_the_settle_time() {
        let time = SettleTime::default();
        assert_eq!(pauses(&time, false), [0_u128; 0], "nothing changed yet");
        time.renew(Duration::from_secs(5));
        assert_eq!(pauses(&time, false), [100, 100, 200, 400, 800, 1600, 1800]);
        assert_eq!(time.waited(), Duration::from_secs(5));
        assert_eq!(pauses(&time, false), [0_u128; 0], "checks after one change wait once");
        time.renew(Duration::from_secs(2));
        assert_eq!(pauses(&time, true), [1000, 1000]);
        time.renew(Duration::ZERO);
        assert_eq!(pauses(&time, false), [0_u128; 0]);
    }

    #[test]
    fn nothing_is_unsettled_until_a_lag_was_seen() {
        let changes = OwnChanges::default();
        changes.note();
        assert_eq!(changes.unsettled(), Duration::ZERO);
        changes.note_lag(Duration::from_secs(3600));
        changes.note_lag(Duration::from_secs(1));
        assert!(changes.unsettled() > Duration::from_secs(3000));
    }
}
