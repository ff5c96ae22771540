//! The defects of a world, behind its hook. Each act changes the result of the act before it.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::access_defect::find_like;
use super::act::{DefectAct, RefusedCall};
use super::call::{ArrivingCall, DefectCall};
use super::catalogue::Defect;
use super::code::DefectCode;
use super::condition::CallCondition;
use super::edit;
use super::filter::ReplyContext;
use super::memory::HookMemory;
use super::record;
use crate::value::message::call::{Admission, Call, Head};
use crate::value::message::response::Response;
use crate::world::state::change::Change;
use crate::world::{Hook, Outcome, World};

/// The same world with these defects.
pub fn install(world: World, defects: &[&'static Defect]) -> World {
    match defects {
        [] => world,
        _ => world.with_hook(Arc::new(DefectHook {
            defects: defects.to_vec(),
            memory: HookMemory::default(),
        })),
    }
}

#[derive(Debug)]
struct DefectHook {
    defects: Vec<&'static Defect>,
    memory: HookMemory,
}

impl DefectHook {
    fn acts(&self) -> impl Iterator<Item = &'static DefectAct> {
        self.defects.iter().flat_map(|defect| &defect.does)
    }

    fn edit(&self, head: &Head<'_>, operation: Option<Operation>, response: &mut Response) {
        let context = ReplyContext { operation, path: head.path, query: head.query };
        for defect in &self.defects {
            defect.rewrite(&context, response);
        }
    }
}

impl Hook for DefectHook {
    fn requests_per_minute_max(&self) -> u32 {
        let limit = self.acts().find_map(|act| match act {
            DefectAct::Limit(limit) => Some(*limit),
            _ => None,
        });
        limit.unwrap_or(REQUESTS_PER_MINUTE_MAX)
    }

    fn admit(&self, world: &World, now: Timestamp, head: &Head<'_>) -> Admission {
        let call = ArrivingCall { world, now, head, memory: &self.memory };
        let mut admission = world.admit_unhooked(now, head);
        for act in self.acts() {
            admission = match act {
                DefectAct::Admit { problem, of } if call.is_of(of) => {
                    call.admit_despite(*problem, admission)
                }
                DefectAct::LooseToken { of, act } => act.apply(of, &call, admission),
                DefectAct::Code(Some(DefectCode::Admit(code))) => code(&call, admission),
                _ => admission,
            };
        }
        if let Admission::Refused(response, _) = &mut admission {
            self.edit(head, call.operation(), response);
        }
        admission
    }

    fn answer(&self, world: &World, now: Timestamp, call: &Call<'_>) -> Outcome {
        let admitted = DefectCall { world, now, call, memory: &self.memory };
        let mut outcome = world.answer_unhooked(now, call);
        for act in self.acts() {
            outcome = answer(act, &admitted, outcome);
        }
        let operation = Some(call.admitted.operation);
        if operation == Some(Operation::CreateAccessToken)
            && let Some(body) = edit::json(&outcome.response)
            && let Some(token) = body.get("access_token").and_then(|token| token.as_str())
        {
            self.memory.remember_token(token);
        }
        self.edit(&call.head, operation, &mut outcome.response);
        outcome
    }

    fn restart(&self, world: &mut World) {
        for act in self.acts() {
            if let DefectAct::Code(Some(DefectCode::Restart(code))) = act {
                code(world);
            }
        }
    }

    fn change(&self, world: &World, changes: Vec<Change>) -> Vec<Change> {
        self.acts().fold(changes, |changes, act| match act {
            DefectAct::Transition { to, act } => act.apply(*to, world, changes),
            DefectAct::Code(Some(DefectCode::Change(code))) => code(world, changes),
            _ => changes,
        })
    }
}

/// The outcome of a call after one act.
fn answer(act: &DefectAct, call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    let holds = |when: &[CallCondition]| CallCondition::all_hold(when, call);
    let is_token = call.is(Operation::CreateAccessToken);
    match act {
        DefectAct::Substitute { of, when, instead } if call.is_any(of) && holds(when) => {
            call.answer_edited(instead)
        }
        DefectAct::Accept(refused) if is_refused(refused, call, &outcome) => {
            record::unchecked(call, outcome)
        }
        DefectAct::RefuseLate(refused) if is_refused(refused, call, &outcome) => {
            let response = outcome.response.clone();
            Outcome { response, ..record::unchecked(call, outcome) }
        }
        DefectAct::Refuse { of, when } if call.is(*of) && outcome.is_success() && holds(when) => {
            record::refusal(call)
        }
        DefectAct::StoreNothing(of) if call.is(*of) => Outcome { changes: Vec::new(), ..outcome },
        DefectAct::FindAnywhere(of) if call.is(*of) && !outcome.is_success() => {
            call.answer_anywhere().unwrap_or(outcome)
        }
        DefectAct::IssueToken { scopes, when } if is_token && holds(when) => {
            record::token(call, outcome, scopes)
        }
        DefectAct::RefuseToken { status, error, when } if is_token && holds(when) => {
            record::token_refusal(call, *status, error)
        }
        DefectAct::List { of, act } if call.is_any(of) && outcome.is_success() => {
            act.apply(call, outcome)
        }
        DefectAct::Effect { of, when, act }
            if call.is(*of) && outcome.is_success() && holds(when) =>
        {
            act.apply(call, outcome)
        }
        DefectAct::LooseId { of, like } if of.is_empty() || call.is_any(of) => {
            find_like(*like, call, outcome)
        }
        DefectAct::Code(Some(DefectCode::Answer(code))) => code(call, outcome),
        _ => outcome,
    }
}

fn is_refused(refused: &RefusedCall, call: &DefectCall<'_>, outcome: &Outcome) -> bool {
    let rule = outcome.response.refused.as_ref().and_then(|it| it.rule.as_ref());
    call.is(refused.of)
        && rule.is_some_and(|rule| refused.rule.covers(rule))
        && CallCondition::all_hold(&refused.when, call)
}
