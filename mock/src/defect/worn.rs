//! What a world with defects does in place of the core.

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::Defect;
use super::arriving::Arriving;
use super::asked::Asked;
use super::edit;
use super::forge;
use super::seam::{Said, Seam};
use crate::call::{Admission, Call, Head};
use crate::changes::Change;
use crate::response::Response;
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
        reply(world, now, head, arriving.operation(), response);
    }
    admission
}

/// Answers an admitted call.
pub(crate) fn answer(world: &World, now: Timestamp, call: &Call<'_>) -> Outcome {
    let asked = Asked { world, now, call };
    let mut outcome = world.answer_soundly(now, call);
    for defect in world.defects() {
        outcome = erring(defect.seam, &asked, outcome);
    }
    reply(world, now, &call.head, Some(call.admitted.operation), &mut outcome.response);
    outcome
}

fn erring(seam: Seam, asked: &Asked<'_>, outcome: Outcome) -> Outcome {
    match seam {
        Seam::Answer(err) => err(asked, outcome),
        Seam::Forgotten { on, detail } if asked.is(on) && outcome.says(detail) => {
            forge::taken(asked, outcome)
        }
        Seam::Late { on, detail } if asked.is(on) && outcome.says(detail) => {
            let response = outcome.response.clone();
            Outcome { response, ..forge::taken(asked, outcome) }
        }
        Seam::Strict { on, when } if asked.is(on) && outcome.is_taken() && when(asked) => {
            forge::refused(asked)
        }
        Seam::Forgotten { .. }
        | Seam::Late { .. }
        | Seam::Strict { .. }
        | Seam::CallsMax(_)
        | Seam::Admit(_)
        | Seam::Reply(_)
        | Seam::Edit { .. }
        | Seam::Apply(_) => outcome,
    }
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
        rewrite(defect, &said, response);
    }
}

/// What a defect that rewrites responses makes of one.
pub(super) fn rewrite(defect: &Defect, said: &Said<'_>, response: &mut Response) {
    match defect.seam {
        Seam::Reply(err) => err(said, response),
        Seam::Edit { on, at, edit } if on.holds(said, response) => {
            edit::rewrite(response, |body| edit::edit(body, at, edit));
        }
        Seam::Edit { .. }
        | Seam::CallsMax(_)
        | Seam::Admit(_)
        | Seam::Answer(_)
        | Seam::Forgotten { .. }
        | Seam::Late { .. }
        | Seam::Strict { .. }
        | Seam::Apply(_) => {}
    }
}
