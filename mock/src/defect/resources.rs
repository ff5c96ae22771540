//! Defects of resources (§2.1 to §2.6): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{
    self, CreateLegalRequest, CreateRepositoryDocument, CreateWebhook, GetLegalRequest,
    GetLegalRequestActivity, GetRepositoryDocument, GetWorkflow, GetWorkflowSchema,
    ListLegalRequests, ListRepositoryDocuments, ListWebhooks, ListWorkflows,
};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const REQUESTS: &[Operation] = &[ListLegalRequests, GetLegalRequest];
const DOCUMENTS: &[Operation] = &[ListRepositoryDocuments, GetRepositoryDocument];
const WORKFLOWS: &[Operation] = &[ListWorkflows, GetWorkflow];
const ACTIVITY: &[Operation] = &[GetLegalRequestActivity];
const SCHEMA: &[Operation] = &[GetWorkflowSchema];
const WEBHOOKS: &[Operation] = &[ListWebhooks];

const REQUEST_SHAPES: &[&str] = &["list-legal-requests.shape", "get-legal-request.shape"];
const DOCUMENT_SHAPES: &[&str] =
    &["list-repository-documents.shape", "get-repository-document.shape"];
const WORKFLOW_SHAPES: &[&str] = &["list-workflows.shape", "get-workflow.shape"];
const ACTIVITY_SHAPE: &[&str] = &["get-legal-request-activity.shape"];
const SCHEMA_SHAPE: &[&str] = &["get-workflow-schema.shape"];
const WEBHOOK_SHAPE: &[&str] = &["list-webhooks.shape"];

pub(super) const ROWS: &[Defect] = &[
    row(
        "legal-request.id-number",
        "2.1",
        &["legal-request.id-is-string"],
        "The id of a legal request is a number.",
        success(REQUESTS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "get-legal-request.returns-the-asked",
        "list-legal-requests.agrees-with-get",
        "create-legal-request.then-listed",
        "pagination.no-item-twice",
        "pagination.page-selects",
        "pagination.total-count-agrees",
    ]),
    row(
        "legal-request.id-empty",
        "2.1",
        &["legal-request.id-is-string"],
        "The id of a legal request that is read is empty.",
        success(&[GetLegalRequest], "/data/id", Edit::Text("")),
    )
    .also(&["get-legal-request.shape", "get-legal-request.returns-the-asked"]),
    row(
        "legal-request.type-plural",
        "2.1",
        &["legal-request.type"],
        "The type of a legal request is `legal_requests`.",
        success(REQUESTS, "/data/*/type", Edit::Text("legal_requests")),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "list-legal-requests.members-are-requests",
    ]),
    row(
        "legal-request.name-missing",
        "2.1",
        &["legal-request.name-is-string"],
        "A legal request has no name.",
        success(REQUESTS, "/data/*/attributes/name", Edit::Drop),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.name-null",
        "2.1",
        &["legal-request.name-is-string"],
        "The name of a legal request is null.",
        success(REQUESTS, "/data/*/attributes/name", Edit::Null),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.description-missing-on-list",
        "2.1",
        &["legal-request.description-present-on-list"],
        "Legal requests in a list have no description.",
        success(&[ListLegalRequests], "/data/*/attributes/description", Edit::Drop),
    )
    .also(&["list-legal-requests.shape", "list-legal-requests.agrees-with-get"]),
    row(
        "legal-request.description-missing-on-get",
        "2.1",
        &["legal-request.description-present-on-get"],
        "A legal request that is read has no description.",
        success(&[GetLegalRequest], "/data/attributes/description", Edit::Drop),
    )
    .also(&["get-legal-request.shape", "list-legal-requests.agrees-with-get"]),
    row(
        "legal-request.description-object",
        "2.1",
        &["legal-request.description-is-string-or-null"],
        "The description of a legal request is a list.",
        success(REQUESTS, "/data/*/attributes/description", Edit::NoList),
    )
    .also(REQUEST_SHAPES),
    row(
        "legal-request.status-number",
        "2.1",
        &["legal-request.status-is-string"],
        "The status of a legal request is its number.",
        success(REQUESTS, "/data/*/attributes/status", Edit::Number(0)),
    )
    .also(&[
        "list-legal-requests.shape",
        "get-legal-request.shape",
        "states.only-the-twelve",
        "states.each-is-shown-by-get",
        "list-legal-requests.filter-does-not-leak",
    ]),
    row(
        "create-legal-request.id-number",
        "2.1",
        &["create-legal-request.id-is-string"],
        "The create response names the request by a number.",
        success(&[CreateLegalRequest], "/data/id", Edit::Number(17)),
    )
    .also(&["create-legal-request.shape", "create-legal-request.then-readable"]),
    row(
        "create-legal-request.type-missing",
        "2.1",
        &["create-legal-request.type"],
        "The create response has no type.",
        success(&[CreateLegalRequest], "/data/type", Edit::Drop),
    )
    .also(&["create-legal-request.shape"]),
    row(
        "create-legal-request.name-null",
        "2.1",
        &["create-legal-request.name-is-string"],
        "The name in the create response is null.",
        success(&[CreateLegalRequest], "/data/attributes/name", Edit::Null),
    )
    .also(&["create-legal-request.shape", "create-legal-request.then-readable"]),
    row(
        "create-legal-request.description-there",
        "2.1",
        &["create-legal-request.no-description"],
        "The create response has a description.",
        success(&[CreateLegalRequest], "/data/attributes", Edit::Put("description", "New")),
    )
    .also(&["create-legal-request.shape", "create-legal-request.only-name-and-status"]),
    row(
        "create-legal-request.attribute-leaked",
        "2.1",
        &["create-legal-request.only-name-and-status"],
        "The create response shows the requester among the attributes.",
        success(&[CreateLegalRequest], "/data/attributes", Edit::Put("requester", "somebody")),
    )
    .also(&["create-legal-request.shape"]),
    row(
        "document.id-number",
        "2.2",
        &["repository-document.id-is-string"],
        "The id of a repository document is a number.",
        success(DOCUMENTS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.returns-the-asked",
        "list-repository-documents.agrees-with-get",
        "create-repository-document.then-listed",
        "create-repository-document.then-readable",
        "pagination.no-item-twice",
        "pagination.page-selects",
    ]),
    row(
        "document.type-short",
        "2.2",
        &["repository-document.type"],
        "The type of a repository document is `document`.",
        success(DOCUMENTS, "/data/*/type", Edit::Text("document")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.returns-the-asked",
        "list-repository-documents.items-are-documents",
    ]),
    row(
        "document.name-missing",
        "2.2",
        &["repository-document.name-is-string"],
        "A repository document has no name.",
        success(DOCUMENTS, "/data/*/attributes/name", Edit::Drop),
    )
    .also(DOCUMENT_SHAPES),
    row(
        "document.custom-fields-text",
        "2.2",
        &["repository-document.custom-fields-is-object"],
        "The custom fields of a document are the text that was uploaded.",
        success(DOCUMENTS, "/data/*/attributes/custom_fields", Edit::AsText),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "repository-document.custom-fields-empty",
        "create-repository-document.metadata-becomes-custom-fields",
        "create-repository-document.metadata-keeps-json-types",
    ]),
    row(
        "document.created-at-date",
        "2.2",
        &["repository-document.created-at"],
        "The creation time of a document is a date without time.",
        success(DOCUMENTS, "/data/*/attributes/created_at", Edit::Cut(10)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "create-repository-document.then-readable",
    ]),
    row(
        "document.agreement-url-path",
        "2.2",
        &["repository-document.agreement-url"],
        "The agreement address of a document is a path.",
        success(DOCUMENTS, "/data/*/attributes/agreement_url", Edit::Text("/agreements/1")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.agreement-url-returns-the-bytes",
        "get-repository-document.agreement-url-returns-the-fetched",
    ]),
    row(
        "document.relation-left-out",
        "2.2",
        &["repository-document.relation-null-or-object"],
        "A document has no member for its legal request.",
        success(DOCUMENTS, "/data/*/relationships/legal_request", Edit::Drop),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "repository-document.relation-null-when-untied",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "document.relation-id-number",
        "2.2",
        &["repository-document.relation-id-is-string"],
        "The legal request of a document is named by a number.",
        success(DOCUMENTS, "/data/*/relationships/legal_request/data/id", Edit::Number(17)),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "document.relation-type-short",
        "2.2",
        &["repository-document.relation-type"],
        "The legal request of a document has the type `request`.",
        success(DOCUMENTS, "/data/*/relationships/legal_request/data/type", Edit::Text("request")),
    )
    .also(&[
        "list-repository-documents.shape",
        "get-repository-document.shape",
        "get-repository-document.relation-names-the-request",
    ]),
    row(
        "workflow.id-number",
        "2.3",
        &["workflow.id-is-string"],
        "The id of a workflow is a number.",
        success(WORKFLOWS, "/data/*/id", Edit::Number(17)),
    )
    .also(&["list-workflows.shape", "get-workflow.shape", "get-workflow.returns-the-asked"]),
    row(
        "workflow.type-template",
        "2.3",
        &["workflow.type"],
        "The type of a workflow is `template`.",
        success(WORKFLOWS, "/data/*/type", Edit::Text("template")),
    )
    .also(&[
        "list-workflows.shape",
        "get-workflow.shape",
        "list-workflows.members-are-workflows",
    ]),
    row(
        "workflow.name-null",
        "2.3",
        &["workflow.name-is-string"],
        "The name of a workflow is null.",
        success(WORKFLOWS, "/data/*/attributes/name", Edit::Null),
    )
    .also(WORKFLOW_SHAPES),
    row(
        "workflow.description-null",
        "2.3",
        &["workflow.description-is-string"],
        "The description of a workflow is null.",
        success(WORKFLOWS, "/data/*/attributes/description", Edit::Null),
    )
    .also(WORKFLOW_SHAPES),
    row(
        "workflow.status-active",
        "2.3",
        &["workflow.status-known"],
        "The status of a workflow is `active`.",
        success(WORKFLOWS, "/data/*/attributes/status", Edit::Text("active")),
    )
    .also(&[
        "list-workflows.shape",
        "get-workflow.shape",
        "list-workflows.status-optional",
        "list-workflows.filter-does-not-leak",
        "list-workflows.filter-does-not-miss",
        "get-workflow.unpublished-readable",
    ]),
    row(
        "workflow.kind-number",
        "2.3",
        &["workflow.kind-is-string"],
        "The workflow type in the attributes is a number.",
        success(WORKFLOWS, "/data/*/attributes/type", Edit::Number(1)),
    )
    .also(WORKFLOW_SHAPES),
    row(
        "schema.required-fields-object",
        "2.4",
        &["workflow-schema.required-fields"],
        "The required fields of a schema are one text.",
        success(SCHEMA, "/required_fields", Edit::AsText),
    )
    .also(&[
        "get-workflow-schema.shape",
        "get-workflow-schema.suffices-for-creation",
        "create-legal-request.by-schema",
    ]),
    row(
        "schema.optional-fields-null",
        "2.4",
        &["workflow-schema.optional-fields"],
        "The optional fields of a schema are null.",
        success(SCHEMA, "/optional_fields", Edit::Null),
    )
    .also(&["get-workflow-schema.shape", "workflow-schema.support-documents-optional"]),
    row(
        "schema.support-documents-required",
        "2.4",
        &["workflow-schema.support-documents-optional"],
        "Supporting documents stand among the required fields.",
        success(SCHEMA, "/required_fields", Edit::Put("", "support_documents[]")),
    )
    .also(SCHEMA_SHAPE),
    row(
        "schema.merge-required",
        "2.4",
        &["workflow-schema.merge-never-required"],
        "The merging of documents stands among the required fields.",
        success(SCHEMA, "/required_fields", Edit::Put("", "merge_documents_into_pdf")),
    )
    .also(SCHEMA_SHAPE),
    row(
        "schema.signer-options-missing",
        "2.4",
        &["workflow-schema.options-single-signer"],
        "The schema lists no options for the one signer.",
        success(SCHEMA, "/fields_properties/internal_signer_email/properties/options", Edit::Drop),
    )
    .also(SCHEMA_SHAPE),
    row(
        "schema.signers-options-missing",
        "2.4",
        &["workflow-schema.options-multiple-signers"],
        "The schema lists no options for the signers.",
        success(
            SCHEMA,
            "/fields_properties/internal_signer_emails[]/properties/options",
            Edit::Drop,
        ),
    )
    .also(SCHEMA_SHAPE),
    row(
        "activity.id-number",
        "2.5",
        &["activity.id-is-string"],
        "The id of an activity entry is a number.",
        success(ACTIVITY, "/data/*/id", Edit::Number(17)),
    )
    .also(&["get-legal-request-activity.shape", "activity.entry-id-unique"]),
    row(
        "activity.type-short",
        "2.5",
        &["activity.type"],
        "The type of an activity entry is `activity`.",
        success(ACTIVITY, "/data/*/type", Edit::Text("activity")),
    )
    .also(ACTIVITY_SHAPE),
    row(
        "activity.action-null",
        "2.5",
        &["activity.action-is-string"],
        "The action of an activity entry is null.",
        success(ACTIVITY, "/data/*/attributes/action", Edit::Null),
    )
    .also(&[
        "get-legal-request-activity.shape",
        "activity.records-every-status-change",
        "activity.each-change-once",
        "states.change-recorded",
        "get-legal-request-activity.tells-current-status",
    ]),
    row(
        "activity.description-missing",
        "2.5",
        &["activity.description-is-string"],
        "An activity entry has no description.",
        success(ACTIVITY, "/data/*/attributes/description", Edit::Drop),
    )
    .also(&[
        "get-legal-request-activity.shape",
        "activity.status-change-named",
        "activity.records-every-status-change",
        "get-legal-request-activity.tells-current-status",
    ]),
    row(
        "activity.description-silent",
        "2.5",
        &["activity.status-change-named"],
        "The description of an activity entry says only that something changed.",
        success(ACTIVITY, "/data/*/attributes/description", Edit::Cut(14)),
    )
    .also(&[
        "get-legal-request-activity.tells-current-status",
        "activity.records-every-status-change",
        "activity.each-change-once",
        "states.change-recorded",
    ]),
    row(
        "activity.comment-flag",
        "2.5",
        &["activity.comment-is-string-or-null"],
        "The comment of an activity entry is false.",
        success(ACTIVITY, "/data/*/attributes/comment", Edit::Flag(false)),
    )
    .also(&["get-legal-request-activity.shape", "activity.records-comments"]),
    row(
        "activity.additional-data-list",
        "2.5",
        &["activity.additional-data-is-object"],
        "The additional data of an activity entry is a list.",
        success(ACTIVITY, "/data/*/attributes/additional_data", Edit::NoList),
    )
    .also(ACTIVITY_SHAPE),
    row(
        "activity.created-at-number",
        "2.5",
        &["activity.times"],
        "The creation time of an activity entry is in Unix seconds.",
        success(ACTIVITY, "/data/*/attributes/created_at", Edit::Number(1_767_225_600)),
    )
    .also(ACTIVITY_SHAPE),
    row(
        "webhook.id-number",
        "2.6",
        &["webhook.id-is-string"],
        "The id of a webhook in the list is a number.",
        success(WEBHOOKS, "/data/*/id", Edit::Number(17)),
    )
    .also(&[
        "list-webhooks.shape",
        "create-webhook.then-listed",
        "delete-webhook.id-of-the-list",
        "pagination.no-item-twice",
        "pagination.page-selects",
    ]),
    row(
        "webhook.type-hook",
        "2.6",
        &["webhook.type"],
        "The type of a webhook is `hook`.",
        success(WEBHOOKS, "/data/*/type", Edit::Text("hook")),
    )
    .also(&["list-webhooks.shape", "list-webhooks.items-are-webhooks"]),
    row(
        "webhook.name-null",
        "2.6",
        &["webhook.name-is-string"],
        "The name of a webhook is null.",
        success(WEBHOOKS, "/data/*/attributes/name", Edit::Null),
    )
    .also(WEBHOOK_SHAPE),
    row(
        "webhook.url-relative",
        "2.6",
        &["webhook.url-is-address"],
        "The address of a webhook is shown without scheme and host.",
        success(WEBHOOKS, "/data/*/attributes/url", Edit::Text("/hooks")),
    )
    .also(&["list-webhooks.shape", "create-webhook.listed-as-registered"]),
    row(
        "webhook.auth-type-null",
        "2.6",
        &["webhook.auth-type-is-string"],
        "The kind of authentication of a webhook is null.",
        success(WEBHOOKS, "/data/*/attributes/auth_type", Edit::Null),
    )
    .also(&["list-webhooks.shape", "create-webhook.listed-as-registered"]),
    row(
        "webhook.events-text",
        "2.6",
        &["webhook.events-are-strings"],
        "The events of a webhook are one text.",
        success(WEBHOOKS, "/data/*/attributes/events", Edit::AsText),
    )
    .also(&[
        "list-webhooks.shape",
        "create-webhook.listed-as-registered",
        "events.subscriptions-listed",
    ]),
    row(
        "create-webhook.id-number",
        "2.6",
        &["create-webhook.id-is-text"],
        "The answer to a registration names the webhook by a number.",
        success(&[CreateWebhook], "/data/id", Edit::Number(17)),
    )
    .also(&["create-webhook.shape", "create-webhook.then-listed"]),
    row(
        "create-document.success-text",
        "4.9",
        &["create-repository-document.success-is-boolean"],
        "The success of an upload is a text.",
        success(&[CreateRepositoryDocument], "/success", Edit::AsText),
    )
    .also(&["create-repository-document.shape", "create-repository-document.success-says-true"]),
];
