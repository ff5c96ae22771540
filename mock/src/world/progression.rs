//! The automatic status changes of a created request: by time, or by reads.

use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;

use super::{World, transition};
use crate::world::state::change::{Change, Effect};
use crate::world::state::resource::LegalRequest;
use crate::world::state::resource::progression_plan::{Pace, ProgressionPlan};
use crate::world::state::resource::status_way;

impl World {
    /// The changes and effects of the earliest step that is due. Apply them, then call this again.
    pub fn fire(&self, now: Timestamp) -> Option<(Vec<Change>, Vec<Effect>)> {
        let (at, row) = self.state().next_step().filter(|(at, _)| *at <= now)?;
        let record = self.state().legal_requests.get(row)?;
        Some(step(self, at, record))
    }

    /// Applies everything that is due, and returns its effects.
    pub fn perform_due(&mut self, now: Timestamp) -> Vec<Effect> {
        let mut happened = Vec::new();
        while let Some((changes, effects)) = self.fire(now) {
            self.apply(changes);
            happened.extend(effects);
        }
        happened
    }
}

/// The step of a request that fell due at `at`.
pub(crate) fn step(
    world: &World,
    at: Timestamp,
    record: &LegalRequest,
) -> (Vec<Change>, Vec<Effect>) {
    let Some(plan) = record.progression else { return (Vec::new(), Vec::new()) };
    match next_status(world, record) {
        Some(to) => {
            let progression = (to != plan.goal).then(|| plan.after_step(at));
            let record = LegalRequest { progression, ..record.clone() };
            transition::change_status(world, at, record, to, None)
        }
        None => {
            let record = LegalRequest { progression: None, ..record.clone() };
            (vec![Change::from(record)], Vec::new())
        }
    }
}

/// The status to which a request changes next; `None` if it has no plan, or no way to its goal. A draft goes through
/// `initial_review`, unless the transitions then lead back to `draft`: it would never reach its goal.
pub(crate) fn next_status(world: &World, record: &LegalRequest) -> Option<LegalRequestStatus> {
    let (answers, from, goal) = (world.answers(), record.status, record.progression?.goal);
    let next = *status_way::towards_goal(answers, from, goal)?.first()?;
    let leads_back =
        from == LegalRequestStatus::Draft && status_way::way(answers, next, goal)?.contains(&from);
    if leads_back { status_way::way(answers, from, goal)?.first().copied() } else { Some(next) }
}

/// The changes that reading a request makes under progression `on-read`.
pub(crate) fn read(world: &World, now: Timestamp, record: &LegalRequest) -> Vec<Change> {
    let Some(plan @ ProgressionPlan { pace: Pace::OnRead { reads, read }, .. }) =
        record.progression
    else {
        return Vec::new();
    };
    if read + 1 >= reads {
        return step(world, now, record).0;
    }
    let plan = ProgressionPlan { pace: Pace::OnRead { reads, read: read + 1 }, ..plan };
    let record = LegalRequest { progression: Some(plan), ..record.clone() };
    vec![Change::from(record)]
}
