//! Attempts of deliveries: which have to be made now, and what became of them.
//!
//! The shell makes the attempts. [`crate::world::deliver`] decides when one is due.

use std::time::Duration;

use jiff::Timestamp;

use super::Service;
use crate::world::deliver::{self, AttemptResult, DeliveryAttempt};

impl Service {
    /// Fires all that is due, and gives the attempts that have to be made now. Each stays in flight
    /// until [`Self::attempt_done`] is told.
    pub fn due_attempts(&self, system_now: Timestamp) -> Vec<DeliveryAttempt> {
        let turn = self.0.turn.lock();
        let begun = self.settle(system_now).and_then(|now| {
            let (changes, attempts) = deliver::begin(&self.0.world.read(), now);
            self.change(changes)?;
            Ok(attempts)
        });
        let newest = self.newest();
        drop(turn);
        // If it can't be kept, the attempt is made again after a restart.
        let _ = self.finish(newest);
        // Nothing begins while an earlier change is not kept.
        begun.unwrap_or_default()
    }

    /// Whether an attempt of [`Self::due_attempts`] is still wanted: its webhook may have been
    /// deleted, or the world reset, meanwhile.
    pub fn is_wanted(&self, delivery: u64) -> bool {
        deliver::is_in_flight(&self.0.world.read(), delivery)
    }

    /// Whether an attempt of [`Self::due_attempts`] may start: ask right before, since it may be
    /// wanted no more, or deliveries paused, meanwhile.
    pub fn may_start(&self, delivery: u64) -> bool {
        let may_act = self.0.keeper.as_ref().is_none_or(|keeper| (keeper.may_act)());
        may_act && deliver::may_start(&self.0.world.read(), delivery)
    }

    /// Tells that an attempt did not start; if it is still wanted, it is queued again.
    pub fn attempt_put_back(&self, delivery: u64) {
        let turn = self.0.turn.lock();
        let change = deliver::put_back(&self.0.world.read(), delivery);
        self.change_anyway(|world| world.apply(change.into_iter().collect()));
        let newest = self.newest();
        drop(turn);
        // If it can't be kept, the attempt is made again after a restart.
        let _ = self.finish(newest);
        self.wake();
    }

    /// Tells what became of an attempt, and how long it lasted in real time; of one that is not wanted any
    /// more nothing is kept.
    pub fn attempt_done(
        &self,
        system_now: Timestamp,
        delivery: u64,
        result: AttemptResult,
        lasted: Option<Duration>,
    ) {
        let turn = self.0.turn.lock();
        let change = {
            let world = self.0.world.read();
            deliver::done(&world, world.now(system_now), delivery, result, lasted)
        };
        self.change_anyway(|world| world.apply(change.into_iter().collect()));
        let newest = self.newest();
        drop(turn);
        // If it can't be kept, the attempt is made again after a restart.
        let _ = self.finish(newest);
        self.wake();
    }
}
