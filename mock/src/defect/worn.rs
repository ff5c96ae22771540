//! What a defect does in place of the core.

use jiff::Timestamp;

use super::Defect;
use super::arriving::Arriving;
use super::asked::Asked;
use super::edit;
use super::forge;
use super::seam::Seam;
use crate::message::call::{Admission, Call, Head};
use crate::message::response::Response;
use crate::state::change::Change;
use crate::world::{Deviation, Outcome, ReplyContext, World};

impl Deviation for Defect {
    fn id(&self) -> &'static str {
        self.id
    }

    fn calls_max(&self) -> Option<u32> {
        match self.seam {
            Seam::CallsMax(calls_max) => Some(calls_max),
            _ => None,
        }
    }

    fn admit(
        &self,
        world: &World,
        now: Timestamp,
        head: &Head<'_>,
        admission: Admission,
    ) -> Admission {
        match self.seam {
            Seam::Admit(err) => err(&Arriving { world, now, head }, admission),
            _ => admission,
        }
    }

    fn answer(&self, world: &World, now: Timestamp, call: &Call<'_>, outcome: Outcome) -> Outcome {
        erring(self.seam, &Asked { world, now, call }, outcome)
    }

    fn reply(&self, context: &ReplyContext<'_>, response: &mut Response) {
        match self.seam {
            Seam::Reply(err) => err(context, response),
            Seam::Edit { on, at, edit } if on.holds(context, response) => {
                edit::rewrite(response, |body| edit::edit(body, at, edit));
            }
            _ => {}
        }
    }

    fn apply(&self, world: &World, changes: Vec<Change>) -> Vec<Change> {
        match self.seam {
            Seam::Apply(err) => err(world, changes),
            _ => changes,
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
