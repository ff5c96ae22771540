//! The account of what a client did: operations, statuses, errors, habits.

use std::collections::BTreeMap;

use serde::Serialize;

use super::call::Call;
use super::habit::{self, Finding};

/// What a client did. Shape: `{"calls", "first_call", "operations": […], "errors": […], "habits":
/// […]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Calls that the journal still has.
    pub calls: usize,
    /// Number of the oldest of them; above 1 the journal, which is bounded and can be emptied, may
    /// have forgotten some.
    pub first_call: Option<u64>,
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
    /// What was wrong and what would have worked, in the service's words.
    pub detail: String,
}

impl Account {
    /// The account of these calls, given in their order.
    pub fn of(calls: &[Call]) -> Self {
        Self {
            calls: calls.len(),
            first_call: calls.first().map(|call| call.serial),
            operations: operations(calls),
            errors: errors(calls),
            habits: habit::find(calls),
        }
    }
}

fn operations(calls: &[Call]) -> Vec<OperationUse> {
    let mut used: BTreeMap<_, BTreeMap<u16, usize>> = BTreeMap::new();
    for call in calls {
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

fn errors(calls: &[Call]) -> Vec<ReceivedError> {
    let mut errors: Vec<ReceivedError> = Vec::new();
    let mut known: BTreeMap<(String, u16, &str), usize> = BTreeMap::new();
    for call in calls {
        let Some(problem) = call.problem.as_deref() else { continue };
        match known.get(&(call.name(), call.status, problem)) {
            Some(at) => errors[*at].times += 1,
            None => {
                known.insert((call.name(), call.status, problem), errors.len());
                errors.push(ReceivedError {
                    status: call.status,
                    problem: problem.to_owned(),
                    call: call.name(),
                    times: 1,
                    first_call: call.serial,
                    detail: call.detail.clone().unwrap_or_default(),
                });
            }
        }
    }
    errors
}
