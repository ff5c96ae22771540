//! Defects of listing and reading workflows and requests (§4.2 to §4.4, §4.6, §4.7): filters, the
//! wrong one, another status.

use http::StatusCode;
use moot_fixtures::contract::Operation;

use super::Defect;
use super::edit::{self, Edit};
use super::row::row;
use super::seam::{Said, Seam, success};
use crate::message::response::Response;

const WORKFLOWS: Operation = Operation::ListWorkflows;
const WORKFLOW: Operation = Operation::GetWorkflow;
const SCHEMA: Operation = Operation::GetWorkflowSchema;
const REQUESTS: Operation = Operation::ListLegalRequests;
const REQUEST: Operation = Operation::GetLegalRequest;

pub(super) const ROWS: &[Defect] = &[
    row(
        "workflows.status-203",
        "4.2",
        &["list-workflows.status-200"],
        "The list of workflows answers 203.",
        Seam::Reply(|said, response| restate(said, response, WORKFLOWS)),
    )
    .also(&["http.declared-status", "service.manages-four-kinds"]),
    row(
        "workflows.not-a-list",
        "4.2",
        &["list-workflows.shape"],
        "The list of workflows is in `workflows`, not in `data`.",
        success(&[WORKFLOWS], "/data", Edit::Rename("workflows")),
    )
    .also(&["list-workflows.members-are-workflows", "pagination.empty-list"]),
    row(
        "workflows.other-members",
        "4.2",
        &["list-workflows.members-are-workflows"],
        "The list of workflows holds legal requests.",
        success(&[WORKFLOWS], "/data/*/type", Edit::Text("legal_request")),
    )
    .also(&["list-workflows.shape", "workflow.type"]),
    row(
        "workflows.published-only",
        "4.2",
        &["list-workflows.status-optional"],
        "Without a filter only published workflows are listed.",
        Seam::Answer(|asked, outcome| {
            match asked.is(WORKFLOWS) && !filters(asked.call.head.query) {
                true => asked.with_status(Some("published")),
                false => outcome,
            }
        }),
    )
    .also(&["get-workflow.unpublished-readable"]),
    row(
        "workflows.filter-ignored",
        "4.2",
        &["list-workflows.filter-does-not-leak"],
        "The status filter of workflows is ignored.",
        Seam::Answer(|asked, outcome| match asked.is(WORKFLOWS) {
            true => asked.with_status(None),
            false => outcome,
        }),
    )
    .also(&["list-workflows.filter-counts"]),
    row(
        "workflows.filter-misses",
        "4.2",
        &["list-workflows.filter-does-not-miss"],
        "A filtered list of workflows leaves out its last member.",
        Seam::Reply(|said, response| filtered(said, response, WORKFLOWS, Edit::Shorten)),
    )
    .also(&["list-workflows.filter-counts", "pagination.total-count-agrees"]),
    row(
        "workflows.filter-counts-all",
        "4.2",
        &["list-workflows.filter-counts"],
        "A filtered list of workflows counts one that it does not show.",
        Seam::Reply(|said, response| miscount(said, response, WORKFLOWS)),
    )
    .also(&["pagination.total-count-agrees"]),
    row(
        "workflow.bare",
        "4.3",
        &["get-workflow.shape"],
        "A workflow is read without `data`.",
        success(&[WORKFLOW], "", Edit::Unwrap("data")),
    )
    .also(&[
        "get-workflow.returns-the-asked",
        "get-workflow.agrees-with-list",
        "get-workflow.unpublished-readable",
    ]),
    row(
        "workflow.status-203",
        "4.3",
        &["get-workflow.status-200"],
        "Getting a workflow answers 203.",
        Seam::Reply(|said, response| restate(said, response, WORKFLOW)),
    )
    .also(&["http.declared-status", "get-workflow.unpublished-readable"]),
    row(
        "workflow.another",
        "4.3",
        &["get-workflow.returns-the-asked"],
        "Getting a workflow answers with another id.",
        success(&[WORKFLOW], "/data/id", Edit::Text("wfAnother")),
    )
    .also(&["get-workflow.agrees-with-list"]),
    row(
        "workflow.differs-from-list",
        "4.3",
        &["get-workflow.agrees-with-list"],
        "Getting a workflow cuts its description off.",
        success(&[WORKFLOW], "/data/attributes/description", Edit::Cut(4)),
    ),
    row(
        "workflow.unpublished-hidden",
        "4.3",
        &["get-workflow.unpublished-readable"],
        "An unpublished workflow is not found by its id.",
        Seam::Answer(|asked, outcome| {
            let unpublished = br#""status":"unpublished""#;
            let is_unpublished = match &outcome.response.body {
                crate::message::response::ResponseBody::Bytes(body) => {
                    body.windows(unpublished.len()).any(|window| window == unpublished)
                }
                crate::message::response::ResponseBody::Content(_) => false,
            };
            if asked.is(WORKFLOW) && is_unpublished { asked.of_id("none") } else { outcome }
        }),
    ),
    row(
        "workflow.unknown-is-null",
        "4.3",
        &["get-workflow.unknown-404"],
        "An unknown workflow is null, with 200.",
        Seam::Answer(|asked, outcome| asked.null_where_unknown(WORKFLOW, outcome)),
    )
    .also(&["isolation.get-workflow", "get-workflow.shape"]),
    row(
        "schema.not-there",
        "4.4",
        &["get-workflow-schema.exists", "workflow-schema.available-per-workflow"],
        "No workflow has a schema.",
        Seam::Answer(|asked, outcome| match asked.is(SCHEMA) {
            true => asked.of_id("none"),
            false => outcome,
        }),
    ),
    row(
        "schema.only-of-published",
        "2.4",
        &["workflow-schema.available-per-workflow"],
        "An unpublished workflow has no schema.",
        Seam::Answer(|asked, outcome| {
            let id = asked.call.admitted.id.as_deref().unwrap_or_default();
            let workflow = asked.world.seeded().workflow_of(id);
            let is_published = workflow.is_some_and(|(_, workflow)| {
                workflow.status == moot_fixtures::contract::WorkflowStatus::Published
            });
            if asked.is(SCHEMA) && !is_published { asked.of_id("none") } else { outcome }
        }),
    ),
    row(
        "schema.shape",
        "4.4",
        &["get-workflow-schema.shape"],
        "The required fields of a schema are in `required`.",
        success(&[SCHEMA], "/required_fields", Edit::Rename("required")),
    )
    .also(&[
        "workflow-schema.required-fields",
        "get-workflow-schema.suffices-for-creation",
        "create-legal-request.by-schema",
    ]),
    row(
        "schema.incomplete",
        "4.4",
        &["get-workflow-schema.suffices-for-creation", "create-legal-request.by-schema"],
        "The schema leaves out the last field that it requires.",
        success(&[SCHEMA], "/required_fields", Edit::Shorten),
    ),
    row(
        "schema.unknown-is-empty",
        "4.4",
        &["get-workflow-schema.unknown-404"],
        "The schema of an unknown workflow is null.",
        Seam::Answer(|asked, outcome| asked.null_where_unknown(SCHEMA, outcome)),
    )
    .also(&["isolation.get-workflow-schema", "get-workflow-schema.shape"]),
    row(
        "requests.status-203",
        "4.6",
        &["list-legal-requests.status-200"],
        "The list of requests answers 203.",
        Seam::Reply(|said, response| restate(said, response, REQUESTS)),
    )
    .also(&["http.declared-status", "service.manages-four-kinds"]),
    row(
        "requests.not-a-list",
        "4.6",
        &["list-legal-requests.shape"],
        "The list of requests is in `requests`, not in `data`.",
        success(&[REQUESTS], "/data", Edit::Rename("requests")),
    )
    .also(&["list-legal-requests.members-are-requests", "pagination.empty-list"]),
    row(
        "requests.other-members",
        "4.6",
        &["list-legal-requests.members-are-requests"],
        "The list of requests holds workflows.",
        success(&[REQUESTS], "/data/*/type", Edit::Text("workflow")),
    )
    .also(&["list-legal-requests.shape", "legal-request.type"]),
    row(
        "requests.drafts-only",
        "4.6",
        &["list-legal-requests.status-optional"],
        "Without a filter only drafts are listed.",
        Seam::Answer(|asked, outcome| {
            match asked.is(REQUESTS) && !filters(asked.call.head.query) {
                true => asked.with_status(Some("draft")),
                false => outcome,
            }
        }),
    )
    .also(&["states.leaves-former-filter", "list-legal-requests.filter-does-not-miss"]),
    row(
        "requests.filter-canceled-unknown",
        "4.6",
        &["list-legal-requests.filter-takes-the-twelve"],
        "The filter knows `cancelled` and not `canceled`.",
        Seam::Answer(|asked, outcome| {
            let is_meant = asked.call.head.query.is_some_and(|query| query.contains("=canceled"));
            if asked.is(REQUESTS) && is_meant {
                asked.with_status(Some("cancelled"))
            } else {
                outcome
            }
        }),
    )
    .also(&["states.each-is-found-by-filter", "list-legal-requests.filter-does-not-miss"]),
    row(
        "requests.filter-ignored",
        "4.6",
        &["list-legal-requests.filter-does-not-leak"],
        "The status filter of requests is ignored.",
        Seam::Answer(|asked, outcome| match asked.is(REQUESTS) && filters(asked.call.head.query) {
            true => asked.with_status(None),
            false => outcome,
        }),
    )
    .also(&[
        "list-legal-requests.filter-counts",
        "states.leaves-former-filter",
        "pagination.no-item-twice",
    ]),
    row(
        "requests.filter-misses",
        "4.6",
        &["list-legal-requests.filter-does-not-miss"],
        "A filtered list of requests leaves out its last member.",
        Seam::Reply(|said, response| filtered(said, response, REQUESTS, Edit::Shorten)),
    )
    .also(&["list-legal-requests.filter-counts", "pagination.total-count-agrees"]),
    row(
        "requests.filter-counts-one-more",
        "4.6",
        &["list-legal-requests.filter-counts"],
        "A filtered list of requests counts one that it does not show.",
        Seam::Reply(|said, response| miscount(said, response, REQUESTS)),
    )
    .also(&["pagination.total-count-agrees"]),
    row(
        "requests.differ-from-get",
        "4.6",
        &["list-legal-requests.agrees-with-get"],
        "The list cuts the names of requests off.",
        success(&[REQUESTS], "/data/*/attributes/name", Edit::Cut(4)),
    )
    .also(&["create-legal-request.then-listed"]),
    row(
        "request.bare",
        "4.7",
        &["get-legal-request.shape"],
        "A request is read without `data`.",
        success(&[REQUEST], "", Edit::Unwrap("data")),
    )
    .also(&[
        "get-legal-request.returns-the-asked",
        "create-legal-request.then-readable",
        "list-legal-requests.agrees-with-get",
        "states.each-is-shown-by-get",
        "legal-request.description-present-on-get",
    ]),
    row(
        "request.status-203",
        "4.7",
        &["get-legal-request.status-200"],
        "Getting a request answers 203.",
        Seam::Reply(|said, response| restate(said, response, REQUEST)),
    )
    .also(&["http.declared-status", "create-legal-request.then-readable"]),
    row(
        "request.another",
        "4.7",
        &["get-legal-request.returns-the-asked"],
        "Getting a request answers with another id.",
        success(&[REQUEST], "/data/id", Edit::Text("anotherRequest")),
    )
    .also(&["create-legal-request.then-readable", "list-legal-requests.agrees-with-get"]),
    row(
        "request.read-counter",
        "4.7",
        &["get-legal-request.reading-changes-nothing"],
        "The description of a request tells how often it was read.",
        Seam::Answer(|asked, mut outcome| {
            if asked.is(REQUEST) && outcome.is_taken() {
                let reads = asked.call.admitted.serial;
                edit::rewrite(&mut outcome.response, |body| {
                    if let Some(text) = body.pointer_mut("/data/attributes/description") {
                        *text = format!("read {reads} times").into();
                    }
                });
            }
            outcome
        }),
    )
    .also(&["list-legal-requests.agrees-with-get"]),
    row(
        "request.unknown-is-null",
        "4.7",
        &["get-legal-request.unknown-404"],
        "An unknown request is null, with 200.",
        Seam::Answer(|asked, outcome| asked.null_where_unknown(REQUEST, outcome)),
    )
    .also(&[
        "errors.request-not-found",
        "isolation.get-legal-request",
        "get-legal-request.shape",
    ]),
];

fn filters(query: Option<&str>) -> bool {
    query.is_some_and(|query| query.contains("status="))
}

/// Answers 203 where the operation succeeds.
fn restate(said: &Said<'_>, response: &mut Response, operation: Operation) {
    if said.operation == Some(operation) && response.status == StatusCode::OK {
        response.status = StatusCode::NON_AUTHORITATIVE_INFORMATION;
    }
}

/// Edits the members of a filtered list.
fn filtered(said: &Said<'_>, response: &mut Response, operation: Operation, edit: Edit) {
    if said.operation == Some(operation) && filters(said.query) {
        edit::rewrite(response, |body| edit::edit(body, "/data", edit));
    }
}

fn miscount(said: &Said<'_>, response: &mut Response, operation: Operation) {
    if said.operation == Some(operation) && filters(said.query) {
        edit::rewrite(response, |body| edit::edit(body, "/pagination/total_count", Edit::Add(1)));
    }
}
