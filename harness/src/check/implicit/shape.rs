//! Has a success the body that its operation documents (§4)?

use moot_fixtures::contract::Operation;

use super::{Finding, Implicit, ImplicitContext, Seen, found};
use crate::check::schema;

pub(super) const ROW: Implicit = Implicit {
    name: "success body",
    verifies: &[
        "list-workflows.shape",
        "get-workflow.shape",
        "get-workflow-schema.shape",
        "create-legal-request.shape",
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "get-legal-request-activity.shape",
        "create-repository-document.shape",
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "list-webhooks.shape",
        "create-webhook.shape",
    ],
    judge,
};

fn judge(seen: &Seen<'_>, _: &ImplicitContext) -> Vec<Finding> {
    let Some(operation) = seen.operation() else { return Vec::new() };
    let Some(requirement) = requirement(operation) else { return Vec::new() };
    if !seen.is_success() || seen.whole_body().is_none() {
        return Vec::new();
    }
    let Some(name) = operation.success_schema() else { return Vec::new() };
    found(requirement, schema::judge(name, seen.response.json.as_deref()))
}

const fn requirement(operation: Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::ListWorkflows => "list-workflows.shape",
        Operation::GetWorkflow => "get-workflow.shape",
        Operation::GetWorkflowSchema => "get-workflow-schema.shape",
        Operation::CreateLegalRequest => "create-legal-request.shape",
        Operation::ListLegalRequests => "list-legal-requests.shape",
        Operation::GetLegalRequest => "get-legal-request.shape",
        Operation::GetLegalRequestActivity => "get-legal-request-activity.shape",
        Operation::CreateRepositoryDocument => "create-repository-document.shape",
        Operation::ListRepositoryDocuments => "list-repository-documents.shape",
        Operation::GetRepositoryDocument => "get-repository-document.shape",
        Operation::ListWebhooks => "list-webhooks.shape",
        Operation::CreateWebhook => "create-webhook.shape",
        // Their bodies are other checks' business, or free.
        Operation::CreateAccessToken
        | Operation::RevokeToken
        | Operation::DownloadAgreement
        | Operation::DeleteWebhook => return None,
    })
}
