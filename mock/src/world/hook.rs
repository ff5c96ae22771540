//! The hook by which defects change the behaviour of a world.

use std::fmt;

use jiff::Timestamp;

use super::{Outcome, World};
use crate::value::message::call::{Admission, Call, Head};
use crate::world::state::change::Change;

/// Stands in for methods of a [`World`].
///
/// The world calls its hook in place of its own methods. The hook calls back the methods that end in
/// `_unhooked`, with the same call or with another one.
pub(crate) trait Hook: fmt::Debug + Send + Sync {
    /// Calls per minute and client address that the rate limit accepts.
    fn requests_per_minute_max(&self) -> u32;
    /// Stands in for [`World::admit`].
    fn admit(&self, world: &World, now: Timestamp, head: &Head<'_>) -> Admission;
    /// Stands in for [`World::answer`].
    fn answer(&self, world: &World, now: Timestamp, call: &Call<'_>) -> Outcome;
    /// Replaces changes before [`World::apply`] applies them.
    fn change(&self, world: &World, changes: Vec<Change>) -> Vec<Change>;
    /// Acts when the world is restarted.
    fn restart(&self, world: &mut World);
}
