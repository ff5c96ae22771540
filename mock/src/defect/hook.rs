//! Defects behind the hook of a world: each acts on what the one before it left.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Operation, REQUESTS_PER_MINUTE_MAX};

use super::act::{DefectAct, RefusedCall};
use super::call::{AdmittedCall, ArrivingCall};
use super::catalogue::Defect;
use super::code::DefectCode;
use super::condition::CallCondition;
use super::edit;
use super::filter::ReplyContext;
use super::memory::HookMemory;
use super::record;
use crate::message::call::{Admission, Call, Head};
use crate::message::response::Response;
use crate::state::change::Change;
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
    /// Each act, with the function that [`DefectAct::Code`] calls.
    fn acts(&self) -> impl Iterator<Item = (&'static DefectAct, Option<DefectCode>)> {
        self.defects.iter().flat_map(|defect| defect.does.iter().map(|act| (act, defect.code)))
    }

    fn edit(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        operation: Option<Operation>,
        response: &mut Response,
    ) {
        let context = ReplyContext { operation, path: head.path, query: head.query, now };
        for defect in &self.defects {
            defect.rewrite(&context, response);
        }
    }
}

impl Hook for DefectHook {
    fn requests_per_minute_max(&self) -> u32 {
        let limit = self.acts().find_map(|(act, _)| match act {
            DefectAct::Limit(limit) => Some(*limit),
            _ => None,
        });
        limit.unwrap_or(REQUESTS_PER_MINUTE_MAX)
    }

    fn admit(&self, world: &World, now: Timestamp, head: &Head<'_>) -> Admission {
        let call = ArrivingCall { world, now, head, memory: &self.memory };
        let mut admission = world.admit_unhooked(now, head);
        for (act, code) in self.acts() {
            admission = match (act, code) {
                (DefectAct::Admit(refused), _) => {
                    let is_of = |operation| refused.of.contains(&operation);
                    match refused.of.is_empty() || call.operation().is_some_and(is_of) {
                        true => call.admit_despite(&refused.problem, admission),
                        false => admission,
                    }
                }
                (DefectAct::LooseToken(loose), _) => loose.apply(&call, admission),
                (DefectAct::Code, Some(DefectCode::Admit(code))) => code(&call, admission),
                _ => admission,
            };
        }
        if let Admission::Refused(response) = &mut admission {
            self.edit(now, head, call.operation(), response);
        }
        admission
    }

    fn answer(&self, world: &World, now: Timestamp, call: &Call<'_>) -> Outcome {
        let admitted = AdmittedCall { world, now, call, memory: &self.memory };
        let mut outcome = world.answer_unhooked(now, call);
        for (act, code) in self.acts() {
            outcome = answer(act, code, &admitted, outcome);
        }
        let operation = Some(call.admitted.operation);
        if operation == Some(Operation::CreateAccessToken)
            && let Some(body) = edit::json(&outcome.response)
            && let Some(token) = body.get("access_token").and_then(|token| token.as_str())
        {
            self.memory.remember_token(token);
        }
        self.edit(now, &call.head, operation, &mut outcome.response);
        outcome
    }

    fn restart(&self, world: &mut World, system_now: Timestamp) {
        for (act, code) in self.acts() {
            if let (DefectAct::Code, Some(DefectCode::Restart(code))) = (act, code) {
                code(world, system_now);
            }
        }
    }

    fn change(&self, world: &World, changes: Vec<Change>) -> Vec<Change> {
        self.acts().fold(changes, |changes, (act, code)| match (act, code) {
            (DefectAct::Code, Some(DefectCode::Change(code))) => code(world, changes),
            _ => changes,
        })
    }
}

/// The outcome of a call after one act.
fn answer(
    act: &DefectAct,
    code: Option<DefectCode>,
    call: &AdmittedCall<'_>,
    outcome: Outcome,
) -> Outcome {
    match act {
        DefectAct::Substitute(it)
            if it.of.contains(&call.call.admitted.operation)
                && CallCondition::all_hold(&it.when, call) =>
        {
            call.answer_edited(&it.instead)
        }
        DefectAct::Accept(refused) if is_refused(refused, call, &outcome) => {
            record::unchecked(call, outcome)
        }
        DefectAct::RefuseLate(refused) if is_refused(refused, call, &outcome) => {
            let response = outcome.response.clone();
            Outcome { response, ..record::unchecked(call, outcome) }
        }
        DefectAct::Refuse(selection)
            if call.is(selection.of)
                && outcome.is_success()
                && CallCondition::all_hold(&selection.when, call) =>
        {
            record::refusal(call)
        }
        DefectAct::StoreNothing(operation) if call.is(*operation) => {
            Outcome { changes: Vec::new(), ..outcome }
        }
        DefectAct::FindAnywhere(operation) if call.is(*operation) && !outcome.is_success() => {
            call.answer_anywhere().unwrap_or(outcome)
        }
        DefectAct::IssueToken(token)
            if call.is(Operation::CreateAccessToken)
                && CallCondition::all_hold(&token.when, call) =>
        {
            record::token(call, outcome, &token.scopes)
        }
        DefectAct::RefuseToken(refusal)
            if call.is(Operation::CreateAccessToken)
                && CallCondition::all_hold(&refusal.when, call) =>
        {
            record::token_refusal(call, refusal.status, &refusal.error)
        }
        DefectAct::List(defect) => defect.apply(call, outcome),
        DefectAct::Effect(defect) => defect.apply(call, outcome),
        DefectAct::LooseId(loose) => loose.apply(call, outcome),
        DefectAct::Code => match code {
            Some(DefectCode::Answer(code)) => code(call, outcome),
            _ => outcome,
        },
        _ => outcome,
    }
}

fn is_refused(refused: &RefusedCall, call: &AdmittedCall<'_>, outcome: &Outcome) -> bool {
    let rule = outcome.response.refused.as_ref().and_then(|it| it.rule.as_ref());
    call.is(refused.of)
        && rule.is_some_and(|rule| refused.rule.matches(rule))
        && CallCondition::all_hold(&refused.when, call)
}
