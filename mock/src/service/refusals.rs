//! Answers to calls that no operation answers, because the shell could not hand them over.

use jiff::Timestamp;

use super::Service;
use crate::value::message::call::{Call, Head};
use crate::value::message::response::Response;
use crate::value::message::unserved::Unserved;
use crate::world::journal::CallEffects;

impl Service {
    /// The answer to a call that no world serves. It is recorded in the journal.
    pub(crate) fn unserved(
        &self,
        system_now: Timestamp,
        head: &Head<'_>,
        why: Unserved<'_>,
    ) -> Response {
        let world = self.0.world.read();
        world.unserved(world.now(system_now), head, why)
    }

    /// The answer to an admitted call whose body could not be stored.
    pub(crate) fn unstored(&self, system_now: Timestamp, call: &Call<'_>, why: &str) -> Response {
        let world = self.0.world.read();
        let now = world.now(system_now);
        let response = world.not_kept(now, call, why);
        drop(world);
        self.record(now, call, &response, CallEffects::default(), None);
        response
    }
}
