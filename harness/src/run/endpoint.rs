//! Operations whose path the specification leaves open, and that are not at the path that Moot assumes.

use moot_fixtures::contract::{Endpoint, Operation};

use crate::exchange::Exchange;
use crate::verdict::{NotRun, NotRunKind};

use super::scenario_run::ScenarioRun;

/// The setting that is missing if an operation whose path the specification leaves open (§4.4, §4.14) is not at the
/// assumed path of a deployment.
pub(super) fn unknown(run: &ScenarioRun<'_>, exchange: &Exchange) -> Option<NotRun> {
    let response = exchange.outcome.as_ref().ok()?;
    let operation = exchange.request.operation.filter(|_| matches!(response.status, 404 | 405))?;
    let key = match operation {
        // With a schema at this path, 404 is a response to its id.
        Operation::GetWorkflowSchema if !has_workflows(run) => "workflow_schema",
        Operation::CreateWebhook => "create_webhook",
        _ => return None,
    };
    let is_named = run.session.endpoints().named().contains(&operation);
    let is_assumed = !run.shared.target.is_mock() && !is_named;
    is_assumed.then(|| {
        let Endpoint { method, path } = run.session.endpoints().get(operation);
        let name = operation.as_str();
        let reason = format!(
            "the target returned {} at `{method} {path}`, and the specification does not say where {name} is",
            response.status
        );
        let setting = format!("endpoints.{key} in the target file");
        NotRun { setting: Some(setting), ..NotRun::new(NotRunKind::Precondition, reason) }
    })
}

/// Whether the form of a workflow was read when the target was opened.
fn has_workflows(run: &ScenarioRun<'_>) -> bool {
    let bound = run.names.get(&["bindings".to_owned(), "workflows".to_owned()]);
    bound.is_some_and(|workflows| workflows.as_array().is_some_and(|all| !all.is_empty()))
}
