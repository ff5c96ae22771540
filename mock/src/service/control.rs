//! Actions of the control plane on a world that many callers share.

use jiff::Timestamp;
use serde_json::Value;

use super::{KeepError, Service};
use crate::control::{self, ControlAction, Refusal};
use crate::world::World;

impl Service {
    /// Performs an action of the control plane, after everything that is due.
    ///
    /// # Errors
    /// [`Refusal`] if it can't be performed. Then nothing has changed.
    pub fn control(&self, system_now: Timestamp, action: ControlAction) -> Result<Value, Refusal> {
        match &action {
            ControlAction::Reset => {
                return self.go_back(system_now, None).map(|(overview, _)| overview);
            }
            ControlAction::RestoreCheckpoint { id } => {
                return self.go_back(system_now, Some(id)).map(|(overview, _)| overview);
            }
            _ => {}
        }
        self.in_turn(system_now, || {
            self.change_by(|world| control::perform(world, system_now, action))
        })
    }

    /// Performs [`ControlAction::Reset`] or [`ControlAction::RestoreCheckpoint`]. Returns the former world.
    /// Dropping it removes its files, so do that where no client waits.
    ///
    /// # Errors
    /// As [`Self::control`].
    pub fn go_back(
        &self,
        system_now: Timestamp,
        checkpoint: Option<&str>,
    ) -> Result<(Value, Box<World>), Refusal> {
        self.in_turn(system_now, || {
            self.change_by(|world| control::go_back(world, system_now, checkpoint))
        })
    }

    /// Runs `act` in a turn of its own, after everything that is due.
    fn in_turn<T>(
        &self,
        system_now: Timestamp,
        act: impl FnOnce() -> Result<Result<T, Refusal>, KeepError>,
    ) -> Result<T, Refusal> {
        let turn = self.turn.lock();
        let result = self.perform_due(system_now).and_then(|_| act());
        let newest = self.newest();
        drop(turn);
        let result = result.and_then(|result| self.finish(newest).map(|()| result));
        self.wake();
        result.unwrap_or_else(|error| Err(error.into()))
    }
}
