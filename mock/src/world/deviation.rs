//! The one hook at which a service may be made to err on purpose.

use std::fmt;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::{Outcome, World};
use crate::message::call::{Admission, Call, Head};
use crate::message::response::Response;
use crate::state::change::Change;

/// A deviation from the specification. Each method sees what the sound service does at one point, and
/// returns what is done instead. The default of each changes nothing.
pub trait Deviation: fmt::Debug + Send + Sync {
    /// Its name, unique and stable: a stored sandbox names its deviations.
    fn id(&self) -> &'static str;

    /// The calls a minute that the rate limit accepts, if not those of §8.
    fn calls_max(&self) -> Option<u32> {
        None
    }

    /// Replaces the decision about a call before its body is read.
    fn admit(
        &self,
        _world: &World,
        _now: Timestamp,
        _head: &Head<'_>,
        admission: Admission,
    ) -> Admission {
        admission
    }

    /// Replaces the answer to an admitted call, and what it changes.
    fn answer(
        &self,
        _world: &World,
        _now: Timestamp,
        _call: &Call<'_>,
        outcome: Outcome,
    ) -> Outcome {
        outcome
    }

    /// Edits any response before it leaves, refusals of admission too.
    fn reply(&self, _context: &ReplyContext<'_>, _response: &mut Response) {}

    /// Replaces changes right before they are applied, whoever ordered them.
    fn apply(&self, _world: &World, changes: Vec<Change>) -> Vec<Change> {
        changes
    }
}

/// The call that a response answers.
#[derive(Debug, Clone, Copy)]
pub struct ReplyContext<'a> {
    /// `None` if no operation has this path and method.
    pub operation: Option<Operation>,
    /// Below the base address, with its leading `/`, without the query.
    pub path: &'a str,
    /// As sent.
    pub query: Option<&'a str>,
    /// The world's time.
    pub now: Timestamp,
}
