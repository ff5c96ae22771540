//! Has a success the body that its operation documents (§4)?

use moot_fixtures::contract::Operation;

use super::{Finding, Implicit, ImplicitContext, Seen, first_read, found};
use crate::check::{Judgement, schema};

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
    let Some(body) = seen.whole_body().filter(|_| seen.is_success()) else { return Vec::new() };
    let Some(name) = operation.success_schema() else { return Vec::new() };
    let find = || judged(name, body, seen);
    let known = seen.response.known.as_ref();
    found(requirement, known.map_or_else(find, |known| known.shape(name, find)))
}

/// A body that is no text has no shape, and one that readers read differently has two.
fn judged(name: &str, body: &[u8], seen: &Seen<'_>) -> Judgement {
    let json = seen.response.json.as_deref();
    let expected = format!("the schema `{name}`");
    if let Err(error) = std::str::from_utf8(body) {
        let place = format!("byte {}", error.valid_up_to());
        return Judgement::fails("the body is no JSON: it is not UTF-8", expected, place);
    }
    let judgement = schema::judge(name, json);
    // Where no member is there twice, none is read differently.
    let last = json.filter(|_| !seen.is_sound());
    match (judgement, last.and_then(|last| first_read::member_read_twice(body, last))) {
        (Judgement::Holds, Some(member)) => Judgement::fails(
            format!(
                "the member `{member}` is there twice, with different values, so that readers \
                 disagree about it"
            ),
            expected,
            format!("`{member}` twice"),
        ),
        (judgement, _) => judgement,
    }
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
