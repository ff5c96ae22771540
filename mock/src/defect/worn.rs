//! What a world with defects does in place of the core.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::Defect;
use super::arriving::Arriving;
use super::asked::Asked;
use super::edit;
use super::forge;
use super::seam::{Said, Seam};
use crate::message::call::{Admission, Call, Head};
use crate::message::response::Response;
use crate::state::change::Change;
use crate::world::{Hook, Outcome, World};

/// The hook of a world with defects: each acts on what the one before it left.
#[derive(Debug)]
struct Defects(Vec<&'static Defect>);

/// The same world with these defects.
pub fn install(world: World, defects: &[&'static Defect]) -> World {
    match defects {
        [] => world,
        _ => world.with_hook(Arc::new(Defects(defects.to_vec()))),
    }
}

impl Hook for Defects {
    fn requests_per_minute_max(&self) -> u32 {
        let erring = self.0.iter().find_map(|defect| match defect.seam {
            Seam::CallsMax(calls_max) => Some(calls_max),
            _ => None,
        });
        erring.unwrap_or(REQUESTS_PER_MINUTE_MAX)
    }

    fn admit(&self, world: &World, now: Timestamp, head: &Head<'_>) -> Admission {
        let arriving = Arriving { world, now, head };
        let mut admission = world.admit_unhooked(now, head);
        for defect in &self.0 {
            if let Seam::Admit(err) = defect.seam {
                admission = err(&arriving, admission);
            }
        }
        if let Admission::Refused(response) = &mut admission {
            self.reply(now, head, arriving.operation(), response);
        }
        admission
    }

    fn answer(&self, world: &World, now: Timestamp, call: &Call<'_>) -> Outcome {
        let asked = Asked { world, now, call };
        let mut outcome = world.answer_unhooked(now, call);
        for defect in &self.0 {
            outcome = erring(defect.seam, &asked, outcome);
        }
        self.reply(now, &call.head, Some(call.admitted.operation), &mut outcome.response);
        outcome
    }

    fn change(&self, world: &World, changes: Vec<Change>) -> Vec<Change> {
        self.0.iter().fold(changes, |changes, defect| match defect.seam {
            Seam::Apply(err) => err(world, changes),
            _ => changes,
        })
    }
}

impl Defects {
    fn reply(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        operation: Option<Operation>,
        response: &mut Response,
    ) {
        let said = Said { operation, path: head.path, query: head.query, now };
        for defect in &self.0 {
            rewrite(defect, &said, response);
        }
    }
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
