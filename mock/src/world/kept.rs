//! A world and its store: noting what was applied, and being made again from what was kept.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::World;
use crate::message::call::Call;
use crate::message::problem::Problem;
use crate::message::response::Response;
use crate::state::change::Change;

/// Numbers of calls between two starts of a world that a store keeps: no two starts share one, so
/// that no `request_id` and no token is given twice.
const CALLS_PER_START: u64 = 1 << 32;

/// What a store has to keep, all or nothing.
#[derive(Debug, Clone, Default)]
pub struct Noted {
    /// Whether the world is as at first before the changes.
    pub is_reset: bool,
    /// What was applied, or is about to be.
    pub changes: Vec<Change>,
}

impl Noted {
    /// Whether there is nothing to keep.
    pub const fn is_empty(&self) -> bool {
        !self.is_reset && self.changes.is_empty()
    }
}

impl World {
    /// Applies what a store kept of this world, at its start after `starts` earlier ones.
    pub fn restore(&mut self, kept: Vec<Change>, starts: u64) {
        self.apply(kept);
        self.calls.store(starts.wrapping_mul(CALLS_PER_START), Ordering::Relaxed);
    }

    /// Notes from now on what is applied.
    pub(crate) fn note(&mut self) {
        self.noted = Some(Noted::default());
    }

    /// What was applied since [`Self::note`]; nothing is noted from now on.
    pub(crate) fn noted(&mut self) -> Noted {
        self.noted.take().unwrap_or_default()
    }

    /// The answer to a call whose changes no store could keep.
    pub(crate) fn not_kept(&self, now: Timestamp, call: &Call<'_>, why: &str) -> Response {
        let problem = Problem::state_not_kept(why);
        self.reply(now, call.head.path, call.admitted.serial).problem(&problem)
    }
}
