//! The account of a client: operations, statuses, errors, findings.

use std::collections::BTreeMap;

use moot_fixtures::journal::fault_text;
use schemars::JsonSchema;
use serde::Serialize;

use super::finding::ConductFinding;
use super::journal::{ControlUse, JournalCall};
use super::relied_questions::{self, ReliedQuestion};
use super::rules;
use super::world_journal::WorldJournal;

/// The calls of a client in the main world and in every sandbox, counted and judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Account {
    /// Calls in the journal.
    pub calls: usize,
    /// Earlier calls that the journal no longer holds.
    pub forgotten: u64,
    /// Sandboxes with calls, including deleted ones.
    pub sandboxes: usize,
    /// The operations that were called, in the order of the contract; calls without an operation last.
    pub operations: Vec<OperationUse>,
    /// Errors in the order of their first call; errors of the same kind are one.
    pub errors: Vec<ReceivedError>,
    /// Broken rules of conduct, in the order of the register.
    pub findings: Vec<ConductFinding>,
    /// Open questions that the client relies on, in the order of the specification.
    pub relies_on: Vec<ReliedQuestion>,
    /// Calls of the control plane.
    pub control: Vec<ControlUse>,
    /// Whether processes of the command were still running at its end. Their later calls are missing.
    pub outlived: bool,
}

impl Account {
    /// The sentence about a client without findings.
    pub fn without_findings(&self) -> &'static str {
        let is_token =
            |one: &&OperationUse| one.operation.as_deref() == Some("create_access_token");
        let mut others = self.operations.iter().filter(|one| !is_token(one));
        let is_served = others.any(|one| one.statuses.keys().any(|status| *status < 400));
        match self.calls == 0 || is_served {
            true => "No rule of conduct is broken",
            false => "No rule of conduct is broken, but no call was served",
        }
    }
}

/// The calls of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OperationUse {
    /// The operation; null for calls without one.
    pub operation: Option<String>,
    /// Number of calls.
    pub calls: usize,
    /// Calls by status.
    pub statuses: BTreeMap<u16, usize>,
}

/// An error that the client received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
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
    /// The sandbox of this call; null is the main world.
    pub sandbox: Option<String>,
    /// The problem and its remedy, as the service described them.
    pub detail: String,
}

impl Account {
    /// Counts and judges the calls of these worlds.
    pub fn of(worlds: &[WorldJournal]) -> Self {
        let is_called = |world: &&WorldJournal| world.sandbox.is_some() && !world.calls.is_empty();
        Self {
            calls: worlds.iter().map(|world| world.calls.len()).sum(),
            forgotten: worlds.iter().map(|world| world.forgotten).sum(),
            sandboxes: worlds.iter().filter(is_called).count(),
            operations: operations(worlds),
            errors: errors(worlds),
            findings: rules::findings(worlds),
            relies_on: relied_questions::questions(worlds),
            control: Vec::new(),
            outlived: false,
        }
    }
}

fn operations(worlds: &[WorldJournal]) -> Vec<OperationUse> {
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

fn errors(worlds: &[WorldJournal]) -> Vec<ReceivedError> {
    let mut errors: Vec<ReceivedError> = Vec::new();
    for world in worlds {
        for call in &world.calls {
            let Some((problem, detail)) = problem_of(call) else { continue };
            let (name, status) = (call.name(), call.status);
            let is_same = |it: &&mut ReceivedError| {
                it.call == name && it.status == status && it.problem == problem
            };
            match errors.iter_mut().find(is_same) {
                Some(error) => error.times += 1,
                None => errors.push(ReceivedError {
                    status,
                    problem,
                    call: name,
                    times: 1,
                    first_call: call.serial,
                    sandbox: world.sandbox.clone(),
                    detail,
                }),
            }
        }
    }
    errors
}

/// Name and description of the problem of a call; `None` if it had none.
fn problem_of(call: &JournalCall) -> Option<(String, String)> {
    match (&call.problem, call.faults.as_slice()) {
        (Some(problem), _) => Some((problem.clone(), call.detail.clone().unwrap_or_default())),
        (None, []) => None,
        (None, faults) => {
            let detail = "an armed fault caused this; no rule refused the call";
            Some((format!("fault {}", fault_text(faults)), detail.to_owned()))
        }
    }
}
