//! The operations of §4, one file each.
//!
//! Each reads its fields, asks its rules in the order of the specification, lists what changes and
//! answers. A rule leaves by `?`; before the last one has passed there is no change. Operations never
//! call each other.

pub(crate) mod create_access_token;
pub(crate) mod create_legal_request;
pub(crate) mod create_repository_document;
pub(crate) mod create_webhook;
pub(crate) mod delete_webhook;
pub(crate) mod download_agreement;
pub(crate) mod get_legal_request;
pub(crate) mod get_legal_request_activity;
pub(crate) mod get_repository_document;
pub(crate) mod get_workflow;
pub(crate) mod get_workflow_schema;
pub(crate) mod list_legal_requests;
pub(crate) mod list_repository_documents;
pub(crate) mod list_webhooks;
pub(crate) mod list_workflows;
pub(crate) mod revoke_token;

mod context;

pub(crate) use context::{Context, answer, needs, reading};
