//! The open questions of the specification that a client relies on.

use moot_fixtures::contract::Operation;
use moot_fixtures::journal::{AuthorizationScheme, RuleGroup};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::journal::JournalCall;
use super::world_journal::WorldJournal;

/// An open question, with the first call that relies on its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReliedQuestion {
    /// Id of the question.
    pub question: String,
    /// The clause that leaves it open.
    pub section: String,
    /// The question as a sentence.
    pub ask: String,
    /// The answer of the mock; null if it has none.
    pub answer: Value,
    /// The answers that other deployments may give, in words.
    pub allowed: String,
    /// Serial of the first call that relies on it.
    pub call: u64,
}

/// Whether a call in a world relies on a question.
type CallTest = fn(&JournalCall, &WorldJournal) -> bool;

/// The questions that a call can rely on, in the order of the specification.
const QUESTIONS: [(&str, CallTest); 15] = [
    ("agreement_download", |call, _| is(call, Operation::DownloadAgreement)),
    ("workflow_schema_endpoint", |call, _| is(call, Operation::GetWorkflowSchema)),
    ("workflow_schema_shape", |call, _| call.did(Operation::GetWorkflowSchema)),
    ("upload_success_status", |call, _| call.did(Operation::CreateRepositoryDocument)),
    ("webhook_create_endpoint", |call, _| is(call, Operation::CreateWebhook)),
    ("webhook_delete_status", |call, _| call.did(Operation::DeleteWebhook)),
    ("scope_omitted", |call, _| {
        is(call, Operation::CreateAccessToken)
            && !call.form().iter().any(|(name, _)| name == "scope")
    }),
    ("token_client_authentication", |call, _| {
        is(call, Operation::CreateAccessToken)
            && call.request.scheme == Some(AuthorizationScheme::Basic)
    }),
    ("token_revocation", |call, world| {
        is(call, Operation::RevokeToken) || uses_older_token(call, world)
    }),
    ("rate_limit_response", |call, _| call.refused_by == Some(RuleGroup::Limit)),
    ("delivery_payload", |call, world| {
        let queues = !call.deliveries.is_empty() && has_receiver(world);
        queues || (call.did(Operation::CreateWebhook) && is_answered(world))
    }),
    ("list_order", |call, _| {
        let is_list = call.operation.is_some_and(|operation| operation.is_list());
        is_list && call.rows().len() > 1
    }),
    ("per_page", |call, _| call.response.pages.is_some_and(|pages| pages > 1)),
    ("page_past_end", |call, _| call.is_past_end()),
    ("not_found_type", |call, _| call.status == 404 && !is(call, Operation::GetLegalRequest)),
];

fn is(call: &JournalCall, operation: Operation) -> bool {
    call.operation == Some(operation)
}

/// Whether a newer token of the same application was issued before this call, such as to another process. A deployment may
/// revoke the older one then.
fn uses_older_token(call: &JournalCall, world: &WorldJournal) -> bool {
    let Some(token) = call.request.authorization.as_deref() else { return false };
    let application = |token: &str| {
        let is_with = |it: &&JournalCall| it.request.authorization.as_deref() == Some(token);
        world.calls.iter().filter(is_with).find_map(|it| it.application.as_deref())
    };
    let earlier = world.calls.iter().take_while(|it| it.serial < call.serial);
    let issued = earlier.filter(|it| it.did(Operation::CreateAccessToken));
    let mut newer = issued
        .filter_map(|it| it.answer["access_token"].as_str())
        .skip_while(|issued| *issued != token)
        .skip(1);
    newer.any(|newer| application(newer).is_some_and(|it| Some(it) == application(token)))
}

/// Whether the client receives webhooks. Calls also queue deliveries to webhooks of the seed world, which no one
/// answers.
fn has_receiver(world: &WorldJournal) -> bool {
    world.calls.iter().any(|call| call.did(Operation::CreateWebhook)) || is_answered(world)
}

/// Whether a receiver answered a delivery. The clock can queue one too (`--progression timed`).
fn is_answered(world: &WorldJournal) -> bool {
    let mut attempts = world.deliveries.iter().flat_map(|delivery| &delivery.attempts);
    attempts.any(|attempt| attempt.status.is_some())
}

/// The open questions that the calls rely on.
pub(super) fn questions(worlds: &[WorldJournal]) -> Vec<ReliedQuestion> {
    let found = QUESTIONS.iter().filter_map(|(id, relies)| {
        let question = moot_fixtures::questions::get(id)?;
        let in_world = |world: &WorldJournal| {
            let call = world.calls.iter().find(|call| relies(call, world))?;
            let answer = world.answers.get(id).cloned().unwrap_or_default();
            Some((call.serial, answer))
        };
        let (call, answer) = worlds.iter().find_map(in_world)?;
        Some(ReliedQuestion {
            question: question.id.clone(),
            section: question.section.clone(),
            ask: question.ask.clone(),
            answer,
            allowed: question.allowed_in_file(),
            call,
        })
    });
    found.collect()
}
