//! Answering an admitted call: which operation it is for.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::Context;
use super::{
    create_access_token, create_legal_request, create_repository_document, create_webhook,
    delete_webhook, download_agreement, get_legal_request, get_legal_request_activity,
    get_repository_document, get_workflow, get_workflow_schema, list_legal_requests,
    list_repository_documents, list_webhooks, list_workflows, revoke_token,
};
use crate::value::message::call::{Call, Fetch};
use crate::value::message::problem::Problem;
use crate::world::{Outcome, World};

impl World {
    /// Answers an admitted call. Pure: asked twice, it answers the same.
    pub fn answer(&self, now: Timestamp, call: &Call<'_>) -> Outcome {
        match self.hook() {
            Some(hook) => hook.answer(self, now, call),
            None => self.answer_unhooked(now, call),
        }
    }

    /// What has to be fetched before an admitted call is answered, where the shell fetches at all;
    /// what became of it goes into the call. Pure, as [`Self::answer`] is.
    pub fn needs(&self, now: Timestamp, call: &Call<'_>) -> Option<Fetch> {
        needs(&self.context(now, call))
    }

    /// The answer of the core itself.
    pub(crate) fn answer_unhooked(&self, now: Timestamp, call: &Call<'_>) -> Outcome {
        let context = self.context(now, call);
        dispatch(&context)
            .unwrap_or_else(|problem| Outcome::unchanged(context.reply.problem(&problem)))
    }

    fn context<'a>(&'a self, now: Timestamp, call: &'a Call<'a>) -> Context<'a> {
        let reply = self.reply(now, call.head.path, call.admitted.serial);
        Context { world: self, now, call, reply }
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

fn needs(context: &Context<'_>) -> Option<Fetch> {
    match context.call.admitted.operation {
        Operation::CreateRepositoryDocument => create_repository_document::needs(context),
        _ => None,
    }
}
