//! What a run changed itself, and how long lists may take to show it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

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

/// What the run created and deleted itself since a look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChangesSince {
    pub(super) created: BTreeSet<String>,
    pub(super) deleted: BTreeSet<String>,
}

/// What the run changed itself. A list may show it late.
#[derive(Debug, Default)]
pub(super) struct OwnChanges {
    /// When something was changed last.
    latest: Mutex<Option<Instant>>,
    /// Each call that created or deleted something, with the id, in order.
    effects: Mutex<Vec<(Operation, String)>>,
    /// The longest lag that was seen.
    lag: Mutex<Duration>,
}

impl OwnChanges {
    /// Something changed just now.
    pub(super) fn note(&self) {
        *self.latest.lock() = Some(Instant::now());
    }

    /// Notes what a call that succeeded created or deleted. Returns whether its effect is known by that.
    pub(super) fn note_effect(&self, exchange: &Exchange) -> bool {
        let Ok(response) = &exchange.outcome else { return false };
        if !(200..300).contains(&response.status) {
            return false;
        }
        match exchange.request.operation {
            Some(
                Operation::CreateLegalRequest
                | Operation::CreateRepositoryDocument
                | Operation::CreateWebhook,
            ) => {
                let id = response.json.as_ref().and_then(|json| json.pointer("/data/id")?.as_str());
                self.add_effect(exchange.request.operation, id)
            }
            Some(Operation::DeleteWebhook) => {
                let id = exchange.request.path.rsplit('/').next();
                self.add_effect(exchange.request.operation, id)
            }
            _ => false,
        }
    }

    fn add_effect(&self, operation: Option<Operation>, id: Option<&str>) -> bool {
        let effect = operation.zip(id.map(str::to_owned));
        let is_known = effect.is_some();
        self.effects.lock().extend(effect);
        is_known
    }

    /// The number of effects so far.
    pub(super) fn mark(&self) -> usize {
        self.effects.lock().len()
    }

    /// Adds the effects since `mark` on what a list shows. Returns the number of effects so far.
    pub(super) fn add_since(&self, mark: usize, list: Operation, to: &mut ChangesSince) -> usize {
        let effects = self.effects.lock();
        for (operation, id) in effects.iter().skip(mark) {
            match (list, operation) {
                (Operation::ListLegalRequests, Operation::CreateLegalRequest)
                | (Operation::ListRepositoryDocuments, Operation::CreateRepositoryDocument)
                | (Operation::ListWebhooks, Operation::CreateWebhook) => {
                    to.created.insert(id.clone());
                }
                (Operation::ListWebhooks, Operation::DeleteWebhook) => {
                    to.deleted.insert(id.clone());
                }
                _ => {}
            }
        }
        effects.len()
    }

    /// Whether a list may show this object late: the run created it by a call that succeeded.
    pub(super) fn is_created(&self, id: &str) -> bool {
        let effects = self.effects.lock();
        effects.iter().any(|(by, known)| *by != Operation::DeleteWebhook && known == id)
    }

    /// Whether a list may drop this object late: the run deleted it by a call that succeeded.
    pub(super) fn is_deleted(&self, id: &str) -> bool {
        let effects = self.effects.lock();
        effects.iter().any(|(by, known)| *by == Operation::DeleteWebhook && known == id)
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
