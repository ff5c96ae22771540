//! How a created request moves on by itself: the pace, the goal and the way there.
//!
//! The goal is `archived`, or what a reserved counterparty address says; the way is the shortest
//! legal one, through `initial_review` where that is on some way to the goal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus};
use serde::{Deserialize, Serialize};

use crate::changes::{Change, Effect};
use crate::clock::later;
use crate::email::Reserved;
use crate::resource::LegalRequest;
use crate::settings::Progression;
use crate::transition;
use crate::world::World;

/// Seconds a step where a reserved address steers a request that would stay otherwise.
const RESERVED_STEP_SECONDS: u32 = 1;

/// Where a request goes by itself, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Course {
    pub(crate) goal: LegalRequestStatus,
    pub(crate) pace: Pace,
}

/// What makes it take a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    /// Time.
    Timed { seconds: u32, next_at: Timestamp },
    /// Being read.
    OnRead {
        reads: u32,
        /// Reads since the last step.
        read: u32,
    },
}

/// The course of a request that is created now, by its text fields.
pub(crate) fn course(
    progression: Progression,
    texts: &BTreeMap<Cow<'static, str>, String>,
    now: Timestamp,
) -> Option<Course> {
    let reserved = ["counterparty_email", "counterparty_signer_email"]
        .into_iter()
        .find_map(|field| Reserved::of(texts.get(field)?));
    let goal = match reserved {
        Some(Reserved::Declines) => LegalRequestStatus::Declined,
        Some(Reserved::LetsExpire) => LegalRequestStatus::Expired,
        Some(Reserved::Signs) | None => LegalRequestStatus::Archived,
    };
    let timed = |seconds: u32| Pace::Timed { seconds, next_at: later(now, u64::from(seconds)) };
    let pace = match progression {
        Progression::Manual if reserved.is_some() => timed(RESERVED_STEP_SECONDS),
        Progression::Manual => return None,
        Progression::Timed { seconds } => timed(seconds),
        Progression::OnRead { reads } => Pace::OnRead { reads, read: 0 },
        Progression::Immediate => timed(0),
    };
    Some(Course { goal, pace })
}

/// The whole way from a status to a goal; a draft passes `initial_review` where it can.
pub(crate) fn way(
    answers: &Answers,
    status: LegalRequestStatus,
    goal: LegalRequestStatus,
) -> Option<Vec<LegalRequestStatus>> {
    const REVIEW: LegalRequestStatus = LegalRequestStatus::InitialReview;
    if status == LegalRequestStatus::Draft && goal != LegalRequestStatus::Draft {
        let to_review = transition::way(answers, status, REVIEW);
        if let Some((mut way, rest)) = to_review.zip(transition::way(answers, REVIEW, goal)) {
            way.extend(rest);
            return Some(way);
        }
    }
    transition::way(answers, status, goal)
}

/// The step of a request that fell due at `at`.
pub(crate) fn step(
    world: &World,
    at: Timestamp,
    record: &LegalRequest,
) -> (Vec<Change>, Vec<Effect>) {
    let Some(course) = record.course else { return (Vec::new(), Vec::new()) };
    let way = way(world.answers(), record.status(), course.goal).unwrap_or_default();
    match way.first() {
        Some(&to) => {
            let mut moved = transition::change_status(world, at, record, to, None);
            moved.record.course = following(course, at).filter(|_| to != course.goal);
            moved.into_changes()
        }
        None => {
            let record = LegalRequest { course: None, ..record.clone() };
            (vec![record.into_change()], Vec::new())
        }
    }
}

/// What reading a request changes: `None` where reading does not move it.
pub(crate) fn read(
    world: &World,
    now: Timestamp,
    record: &LegalRequest,
) -> Option<(Vec<Change>, Vec<Effect>)> {
    let course = record.course?;
    let Pace::OnRead { reads, read } = course.pace else { return None };
    if read + 1 >= reads {
        return Some(step(world, now, record));
    }
    let course = Course { pace: Pace::OnRead { reads, read: read + 1 }, ..course };
    let record = LegalRequest { course: Some(course), ..record.clone() };
    Some((vec![record.into_change()], Vec::new()))
}

fn following(course: Course, at: Timestamp) -> Option<Course> {
    let pace = match course.pace {
        Pace::Timed { seconds, .. } => {
            Pace::Timed { seconds, next_at: later(at, u64::from(seconds)) }
        }
        Pace::OnRead { reads, .. } => Pace::OnRead { reads, read: 0 },
    };
    Some(Course { pace, ..course })
}
