//! Defects of workflows and their schemas (§2.3, §2.4): members that are missing, or of the wrong kind.

use moot_fixtures::contract::Operation::{self, GetWorkflow, GetWorkflowSchema, ListWorkflows};

use super::Defect;
use super::edit::Edit;
use super::row::row;
use super::seam::success;

const WORKFLOWS: &[Operation] = &[ListWorkflows, GetWorkflow];
const SCHEMA: &[Operation] = &[GetWorkflowSchema];
const WORKFLOW_SHAPES: &[&str] = &["list-workflows.shape", "get-workflow.shape"];
const SCHEMA_SHAPE: &[&str] = &["get-workflow-schema.shape"];

pub(super) const ROWS: &[Defect] = &[
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
];
