//! The account of what a client did: operations, statuses, errors, habits.

use std::collections::BTreeMap;

use serde::Serialize;

use super::call::{Call, World};
use super::habit::{self, Finding};

/// What a client did, in the main world and in every sandbox. Shape: `{"calls", "forgotten",
/// "sandboxes", "operations": […], "errors": […], "habits": […]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Calls that the journal still has.
    pub calls: usize,
    /// Calls that it has no more: it is bounded, and can be emptied.
    pub forgotten: u64,
    /// Sandboxes that were called, those that are gone included.
    pub sandboxes: usize,
    /// What was used, in the order of the contract; calls without a route last.
    pub operations: Vec<OperationUse>,
    /// What was refused, in the order first met; refusals of the same kind are one.
    pub errors: Vec<ReceivedError>,
    /// What a client should not do.
    pub habits: Vec<Finding>,
}

/// How often an operation was called, and what it was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationUse {
    /// The operation; `None` counts the calls that have none.
    pub operation: Option<String>,
    /// Calls.
    pub calls: usize,
    /// How often which status.
    pub statuses: BTreeMap<u16, usize>,
}

/// A refusal, and what would have worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceivedError {
    /// HTTP status.
    pub status: u16,
    /// `type` of the problem, or `error` of a token failure.
    pub problem: String,
    /// The operation, or method and path.
    pub call: String,
    /// How often.
    pub times: usize,
    /// Number of the first such call.
    pub first_call: u64,
    /// The sandbox where that was; `None` is the main world.
    pub sandbox: Option<String>,
    /// What was wrong and what would have worked, in the service's words.
    pub detail: String,
}

impl Account {
    /// The account of what was called in these worlds.
    pub fn of(worlds: &[World]) -> Self {
        let is_called = |world: &&World| world.sandbox.is_some() && !world.calls.is_empty();
        Self {
            calls: worlds.iter().map(|world| world.calls.len()).sum(),
            forgotten: worlds.iter().map(|world| world.forgotten).sum(),
            sandboxes: worlds.iter().filter(is_called).count(),
            operations: operations(worlds),
            errors: errors(worlds),
            habits: habit::find(worlds),
        }
    }
}

fn operations(worlds: &[World]) -> Vec<OperationUse> {
    let mut used: BTreeMap<_, BTreeMap<u16, usize>> = BTreeMap::new();
    for call in worlds.iter().flat_map(|world| &world.calls) {
        let statuses = used.entry((call.operation.is_none(), call.operation)).or_default();
        *statuses.entry(call.status).or_default() += 1;
    }
    used.into_iter()
        .map(|((_, operation), statuses)| OperationUse {
            operation: operation.map(|operation| operation.as_str().to_owned()),
            calls: statuses.values().sum(),
            statuses,
        })
        .collect()
}

fn errors(worlds: &[World]) -> Vec<ReceivedError> {
    let mut errors: Vec<ReceivedError> = Vec::new();
    let mut known: BTreeMap<(String, u16, String), usize> = BTreeMap::new();
    for world in worlds {
        for call in &world.calls {
            let Some((problem, detail)) = received(call) else { continue };
            match known.get(&(call.name(), call.status, problem.clone())) {
                Some(at) => errors[*at].times += 1,
                None => {
                    known.insert((call.name(), call.status, problem.clone()), errors.len());
                    errors.push(ReceivedError {
                        status: call.status,
                        problem,
                        call: call.name(),
                        times: 1,
                        first_call: call.serial,
                        sandbox: world.sandbox.clone(),
                        detail,
                    });
                }
            }
        }
    }
    errors
}

/// What was wrong with a call, in short and in the service's words.
fn received(call: &Call) -> Option<(String, String)> {
    match (&call.problem, &call.fault) {
        (Some(problem), _) => Some((problem.clone(), call.detail.clone().unwrap_or_default())),
        (None, Some(fault)) => {
            let detail = "an armed fault did this; no rule refused the call";
            Some((format!("fault {fault}"), detail.to_owned()))
        }
        (None, None) => None,
    }
}
