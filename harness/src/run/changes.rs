//! Changes that the run itself made, and the time until lists show them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use moot_fixtures::contract::Operation;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::client::target_file::created_kind;
use crate::exchange::Exchange;

/// The first pause before a list is read again. Each further pause doubles the time waited.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// A pause where the clock of the target is moved. That clock counts whole seconds.
const PAUSE_BY_CLOCK: Duration = Duration::from_secs(1);

/// The time that is left for the lists of one scenario to settle. It is zero until the scenario changes something.
/// Every pause is taken from it, so that many checks after one change wait only once.
#[derive(Debug, Default)]
pub(super) struct SettleTime {
    left: Duration,
    /// The sum of all pauses since the latest change.
    pub(super) waited: Duration,
}

impl SettleTime {
    /// Starts anew after a change.
    pub(super) fn renew(&mut self, whole: Duration) {
        *self = Self { left: whole, waited: Duration::ZERO };
    }

    /// The next pause; `None` once the time is used up.
    pub(super) fn pause(&mut self, is_by_clock: bool) -> Option<Duration> {
        let wanted = match is_by_clock {
            true => PAUSE_BY_CLOCK,
            false => self.waited.max(PAUSE_FIRST),
        };
        let pause = wanted.min(self.left);
        self.left -= pause;
        self.waited += pause;
        (!pause.is_zero()).then_some(pause)
    }
}

/// Ids of objects that the run created and deleted since a view was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChangesSince {
    pub(super) created: BTreeSet<String>,
    pub(super) deleted: BTreeSet<String>,
}

/// Changes that the run itself made. A list may show them late.
#[derive(Debug, Default)]
pub(super) struct OwnChanges {
    /// The time of the latest change.
    latest: Mutex<Option<Instant>>,
    /// Calls that created or deleted an object, with its id, in order.
    effects: Mutex<Vec<(Operation, String)>>,
    /// The longest lag so far.
    lag: Mutex<Duration>,
}

impl OwnChanges {
    /// Notes a change.
    pub(super) fn note(&self) {
        *self.latest.lock() = Some(Instant::now());
    }

    /// Notes the object that a successful call created or deleted. Returns whether the effect of the call is known.
    pub(super) fn note_effect(&self, exchange: &Exchange) -> bool {
        let Ok(response) = &exchange.outcome else { return false };
        let Some(operation) = exchange.request.operation else { return false };
        if !response.is_success() {
            return false;
        }
        let id = match operation {
            operation if created_kind(operation).is_some() => response.created_id(),
            Operation::DeleteWebhook => exchange.request.path.rsplit('/').next(),
            _ => None,
        };
        let effect = id.map(|id| (operation, id.to_owned()));
        let is_known = effect.is_some();
        self.effects.lock().extend(effect);
        is_known
    }

    /// The number of effects so far.
    pub(super) fn mark(&self) -> usize {
        self.effects.lock().len()
    }

    /// Adds the effects since `mark` on a list. Returns the number of effects so far.
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

    /// Whether the run created this object. A list may show it late.
    pub(super) fn is_created(&self, id: &str) -> bool {
        let effects = self.effects.lock();
        effects.iter().any(|(by, known)| *by != Operation::DeleteWebhook && known == id)
    }

    /// Whether the run deleted this object. A list may drop it late.
    pub(super) fn is_deleted(&self, id: &str) -> bool {
        let effects = self.effects.lock();
        effects.iter().any(|(by, known)| *by == Operation::DeleteWebhook && known == id)
    }

    /// Notes the time that a list took to show a change.
    pub(super) fn note_lag(&self, lag: Duration) {
        let mut longest = self.lag.lock();
        *longest = lag.max(*longest);
    }

    /// The time until lists show the latest change, by the longest lag so far.
    pub(super) fn rest_of_lag(&self) -> Duration {
        self.rest_since_change(*self.lag.lock())
    }

    /// The rest of `time` since the latest change; zero without a change.
    pub(super) fn rest_since_change(&self, time: Duration) -> Duration {
        self.latest.lock().map_or(Duration::ZERO, |latest| time.saturating_sub(latest.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{OwnChanges, SettleTime};

    fn pauses(time: &mut SettleTime, is_by_clock: bool) -> Vec<u128> {
        std::iter::from_fn(|| time.pause(is_by_clock)).map(|pause| pause.as_millis()).collect()
    }

    #[test]
    fn pauses_grow_and_add_up_to_the_settle_time() {
        let mut time = SettleTime::default();
        assert_eq!(pauses(&mut time, false), [0_u128; 0], "nothing changed yet");
        time.renew(Duration::from_secs(5));
        assert_eq!(pauses(&mut time, false), [100, 100, 200, 400, 800, 1600, 1800]);
        assert_eq!(time.waited, Duration::from_secs(5));
        assert_eq!(pauses(&mut time, false), [0_u128; 0], "checks after one change wait once");
        time.renew(Duration::from_secs(2));
        assert_eq!(pauses(&mut time, true), [1000, 1000]);
        time.renew(Duration::ZERO);
        assert_eq!(pauses(&mut time, false), [0_u128; 0]);
    }

    #[test]
    fn nothing_is_unsettled_until_a_lag_was_seen() {
        let changes = OwnChanges::default();
        assert_eq!(changes.rest_since_change(Duration::MAX), Duration::ZERO, "nothing changed yet");
        changes.note();
        assert_eq!(changes.rest_of_lag(), Duration::ZERO);
        assert_eq!(changes.rest_since_change(Duration::ZERO), Duration::ZERO);
        assert!(changes.rest_since_change(Duration::from_secs(3600)) > Duration::from_secs(3000));
        changes.note_lag(Duration::from_secs(3600));
        changes.note_lag(Duration::from_secs(1));
        assert!(changes.rest_of_lag() > Duration::from_secs(3000));
    }
}
