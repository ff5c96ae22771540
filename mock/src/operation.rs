//! The operations of §4, one file each.
//!
//! Each operation reads its fields, checks its rules in the order of the specification, and returns an
//! answer with a list of changes. A broken rule returns early with a problem. Operations never call
//! each other.

mod create_access_token;
mod create_legal_request;
mod create_repository_document;
mod create_webhook;
mod delete_webhook;
mod download_agreement;
mod get_legal_request;
mod get_legal_request_activity;
mod get_repository_document;
mod get_workflow;
mod get_workflow_schema;
mod list_legal_requests;
mod list_repository_documents;
mod list_webhooks;
mod list_workflows;
mod revoke_token;

mod answer;
mod context;
mod list;
pub(crate) mod oauth;

pub(crate) use context::Context;
