//! What a world with defects does in place of the core.

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::Defect;
use super::arriving::Arriving;
use super::asked::Asked;
use super::edit;
use super::seam::{Said, Seam};
use crate::call::{Admission, Call, Head};
use crate::changes::Change;
use crate::response::Response;
use crate::route::Routed;
use crate::world::{Outcome, World};

/// Calls a minute that the limit accepts.
pub(crate) fn calls_max(defects: &[&'static Defect]) -> u32 {
    let erring = defects.iter().find_map(|defect| match defect.seam {
        Seam::CallsMax(calls_max) => Some(calls_max),
        _ => None,
    });
    erring.unwrap_or(REQUESTS_PER_MINUTE_MAX)
}

/// Admits a call, or refuses it.
pub(crate) fn admit(world: &World, now: Timestamp, head: &Head<'_>) -> Admission {
    let arriving = Arriving { world, now, head };
    let mut admission = world.admit_soundly(now, head);
    for defect in world.defects() {
        if let Seam::Admit(err) = defect.seam {
            admission = err(&arriving, admission);
        }
    }
    if let Admission::Refused(response) = &mut admission {
        let operation = match world.seeded().router().find(head.method, head.path) {
            Routed::Found(operation, _) => Some(operation),
            Routed::WrongMethod(_) | Routed::Unknown => None,
        };
        reply(world, now, head, operation, response);
    }
    admission
}

/// Answers an admitted call.
pub(crate) fn answer(world: &World, now: Timestamp, call: &Call<'_>) -> Outcome {
    let asked = Asked { world, now, call };
    let mut outcome = world.answer_soundly(now, call);
    for defect in world.defects() {
        if let Seam::Answer(err) = defect.seam {
            outcome = err(&asked, outcome);
        }
    }
    reply(world, now, &call.head, Some(call.admitted.operation), &mut outcome.response);
    outcome
}

/// What becomes of changes.
pub(crate) fn apply(world: &World, changes: Vec<Change>) -> Vec<Change> {
    world.defects().iter().fold(changes, |changes, defect| match defect.seam {
        Seam::Apply(err) => err(world, changes),
        _ => changes,
    })
}

fn reply(
    world: &World,
    now: Timestamp,
    head: &Head<'_>,
    operation: Option<Operation>,
    response: &mut Response,
) {
    let said = Said { operation, path: head.path, query: head.query, now };
    for defect in world.defects() {
        match defect.seam {
            Seam::Reply(err) => err(&said, response),
            Seam::Edit { on, at, edit } if on.holds(&said, response) => {
                edit::rewrite(response, |body| edit::edit(body, at, edit));
            }
            _ => {}
        }
    }
}
