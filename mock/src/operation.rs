//! The operations of §4, one file each.
//!
//! Each operation reads its fields, checks its rules in the order of the specification, and returns a
//! response with a list of changes. A broken rule returns early with a problem. Operations never call
//! each other.

mod context;
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
mod list;
mod list_legal_requests;
mod list_repository_documents;
mod list_webhooks;
mod list_workflows;
pub(crate) mod oauth;
mod revoke_token;

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use crate::value::message::call::{Call, Fetch};
use crate::value::message::problem::Problem;
use crate::world::{Outcome, World};

pub(crate) use context::Context;

impl World {
    /// Answers an admitted call. It changes nothing: the same call gets the same response.
    pub fn answer(&self, now: Timestamp, call: &Call<'_>) -> Outcome {
        match &self.hook {
            Some(hook) => hook.answer(self, now, call),
            None => self.answer_unhooked(now, call),
        }
    }

    /// The document to fetch before an admitted call is answered. If the shell fetches it, it puts the
    /// result into the call.
    pub fn document_to_fetch(&self, now: Timestamp, call: &Call<'_>) -> Option<Fetch> {
        match call.admitted.operation {
            Operation::CreateRepositoryDocument => {
                create_repository_document::document_to_fetch(&self.context(now, call))
            }
            _ => None,
        }
    }

    /// The response of the core, without defects.
    pub(crate) fn answer_unhooked(&self, now: Timestamp, call: &Call<'_>) -> Outcome {
        let context = self.context(now, call);
        dispatch(&context)
            .unwrap_or_else(|problem| Outcome::unchanged(context.responder.problem(&problem)))
    }

    fn context<'a>(&'a self, now: Timestamp, call: &'a Call<'a>) -> Context<'a> {
        let responder = self.responder(now, call.head.path, call.admitted.serial);
        Context { world: self, now, call, responder }
    }
}

fn dispatch(context: &Context<'_>) -> Result<Outcome, Problem> {
    match context.call.admitted.operation {
        Operation::CreateAccessToken => create_access_token::answer(context),
        Operation::RevokeToken => revoke_token::answer(context),
        Operation::ListWorkflows => list_workflows::answer(context),
        Operation::GetWorkflow => get_workflow::answer(context),
        Operation::GetWorkflowSchema => get_workflow_schema::answer(context),
        Operation::CreateLegalRequest => create_legal_request::answer(context),
        Operation::ListLegalRequests => list_legal_requests::answer(context),
        Operation::GetLegalRequest => get_legal_request::answer(context),
        Operation::GetLegalRequestActivity => get_legal_request_activity::answer(context),
        Operation::CreateRepositoryDocument => create_repository_document::answer(context),
        Operation::ListRepositoryDocuments => list_repository_documents::answer(context),
        Operation::GetRepositoryDocument => get_repository_document::answer(context),
        Operation::DownloadAgreement => download_agreement::answer(context),
        Operation::ListWebhooks => list_webhooks::answer(context),
        Operation::DeleteWebhook => delete_webhook::answer(context),
        Operation::CreateWebhook => create_webhook::answer(context),
    }
}
