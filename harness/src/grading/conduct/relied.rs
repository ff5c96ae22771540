//! What a client relies on that the specification leaves open.

use moot_fixtures::contract::Operation;
use moot_fixtures::questions;
use serde::Serialize;
use serde_json::Value;

use super::journal::{JournalCall, WorldJournal};

/// An open question that a client touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReliedQuestion {
    /// Id of the question.
    pub question: String,
    /// The clause that leaves it open.
    pub section: String,
    /// What is asked.
    pub ask: String,
    /// What the mock answers; null if it does not say.
    pub answer: Value,
    /// The answers that other deployments may give, in words.
    pub allowed: String,
    /// Serial of the first call that relies on it.
    pub call: u64,
}

/// Whether a call relies on the answer to a question.
type Reliance = fn(&JournalCall) -> bool;

/// The questions that a call can touch, in the order of the specification.
const QUESTIONS: [(&str, Reliance); 15] = [
    ("agreement_download", |call| is(call, Operation::DownloadAgreement)),
    ("workflow_schema_endpoint", |call| is(call, Operation::GetWorkflowSchema)),
    ("workflow_schema_shape", |call| call.did(Operation::GetWorkflowSchema)),
    ("upload_success_status", |call| call.did(Operation::CreateRepositoryDocument)),
    ("webhook_create_endpoint", |call| is(call, Operation::CreateWebhook)),
    ("webhook_delete_status", |call| call.did(Operation::DeleteWebhook)),
    ("scope_omitted", |call| {
        is(call, Operation::CreateAccessToken)
            && !call.form().iter().any(|(name, _)| name == "scope")
    }),
    ("token_client_authentication", |call| {
        is(call, Operation::CreateAccessToken) && call.request.scheme.as_deref() == Some("basic")
    }),
    ("token_revocation", |call| is(call, Operation::RevokeToken)),
    ("rate_limit_response", |call| call.decision == "limit"),
    ("delivery_payload", |call| !call.deliveries.is_empty()),
    ("list_order", |call| rows(call).is_some_and(|rows| rows.len() > 1)),
    ("per_page", |call| call.response.pages.is_some_and(|pages| pages > 1)),
    (
        "page_past_end",
        |call| matches!((call.response.page, call.response.pages), (Some(page), Some(pages)) if page > pages.max(1)),
    ),
    ("not_found_type", |call| {
        call.status == 404 && call.operation != Some(Operation::GetLegalRequest)
    }),
];

fn is(call: &JournalCall, operation: Operation) -> bool {
    call.operation == Some(operation)
}

fn rows(call: &JournalCall) -> Option<&Vec<Value>> {
    call.operation.filter(|operation| operation.is_list())?;
    call.answer["data"].as_array()
}

/// The open questions that the calls touched, each with its first call.
pub(super) fn relied(worlds: &[WorldJournal]) -> Vec<ReliedQuestion> {
    let found = QUESTIONS.iter().filter_map(|(id, relies)| {
        let question = questions::get(id)?;
        let in_world = |world: &WorldJournal| {
            let call = world.calls.iter().find(|call| relies(call))?;
            let answer = world.answers.get(id).cloned().unwrap_or_default();
            Some((call.serial, answer))
        };
        let (call, answer) = worlds.iter().find_map(in_world)?;
        Some(ReliedQuestion {
            question: question.id.clone(),
            section: question.section.clone(),
            ask: question.ask.clone(),
            answer,
            allowed: question.allowed(),
            call,
        })
    });
    found.collect()
}
