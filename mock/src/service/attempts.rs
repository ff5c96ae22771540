//! Attempts of deliveries: the attempts to make now, and their results.
//!
//! The shell makes the attempts. [`crate::world::deliver`] decides when an attempt is due.

use std::time::Duration;

use jiff::Timestamp;

use super::Service;
use crate::world::World;
use crate::world::deliver::{self, DeliveryAttempt};
use crate::world::state::change::Change;
use crate::world::state::resource::delivery::AttemptResult;

impl Service {
    /// Performs everything that is due, and returns the attempts to make now. Each attempt is in flight
    /// until [`Self::attempt_done`] or [`Self::attempt_put_back`].
    pub fn due_attempts(&self, system_now: Timestamp) -> Vec<DeliveryAttempt> {
        let turn = self.turn.lock();
        let attempts = self.perform_due(system_now).and_then(|now| {
            let (changes, attempts) = deliver::begin(&self.world.read(), now);
            self.change(changes)?;
            Ok(attempts)
        });
        let newest = self.newest();
        drop(turn);
        // If the change is not stored, the attempt is made again after a restart.
        let _ = self.finish(newest);
        // While the keeper fails, no attempt is made.
        attempts.unwrap_or_default()
    }

    /// Whether an attempt of [`Self::due_attempts`] is still in flight. A deleted webhook and a reset end
    /// it.
    pub fn is_wanted(&self, delivery: u64) -> bool {
        deliver::is_in_flight(&self.world.read(), delivery)
    }

    /// Whether an attempt of [`Self::due_attempts`] may start. Call it directly before the start: the
    /// attempt may have ended, or deliveries may be paused.
    pub fn may_start(&self, delivery: u64) -> bool {
        let may_act = self.keeper.as_ref().is_none_or(|keeper| (keeper.may_act)());
        may_act && deliver::may_start(&self.world.read(), delivery)
    }

    /// Queues an attempt again that did not start, if it is still in flight.
    pub fn attempt_put_back(&self, delivery: u64) {
        self.end_attempt(|world| deliver::put_back(world, delivery));
    }

    /// Records the result of an attempt and its duration in real time, if it is still in flight.
    pub fn attempt_done(
        &self,
        system_now: Timestamp,
        delivery: u64,
        result: AttemptResult,
        lasted: Option<Duration>,
    ) {
        self.end_attempt(|world| {
            deliver::done(world, world.now(system_now), delivery, result, lasted)
        });
    }

    fn end_attempt(&self, change: impl FnOnce(&World) -> Option<Change>) {
        let turn = self.turn.lock();
        let change = change(&self.world.read());
        self.change_anyway(|world| world.apply(change.into_iter().collect()));
        let newest = self.newest();
        drop(turn);
        // If the change is not stored, the attempt is made again after a restart.
        let _ = self.finish(newest);
        self.wake();
    }
}
