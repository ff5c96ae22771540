//! Does a response have the body that its operation documents (§2.8, §4)?

use moot_fixtures::contract::Operation;

use super::AnsweredExchange;
use crate::verdict::check::duplicate_members::is_ambiguous;
use crate::verdict::check::{Judgement, schema, sound_json};

/// The requirements of [`token`].
pub(super) const OF_TOKENS: &[&str] = &["token.response-shape", "token-failure.shape"];

/// The requirements of [`success`].
pub(super) const OF_SUCCESSES: &[&str] = &[
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
];

/// Does a response of the token endpoint have the body of a token or of a token failure (§2.8, §4.1)?
pub(super) fn token(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    if answered.operation() != Some(Operation::CreateAccessToken) || answered.whole_body().is_none()
    {
        return Vec::new();
    }
    let document = answered.document();
    match answered.status() {
        200..=299 => vec![("token.response-shape", schema::judge("token", &document))],
        // A server in front of the service may refuse the method, the media type or the length (`other_errors`).
        400..=499 if !answered.is_limit() && !is_foreign(answered) => {
            vec![("token-failure.shape", schema::judge("token_failure", &document))]
        }
        _ => Vec::new(),
    }
}

/// Whether it is an error of `other_errors` that is not a token failure by its body.
fn is_foreign(answered: &AnsweredExchange<'_>) -> bool {
    let has_error = answered.response.json.as_deref().is_some_and(|it| it.get("error").is_some());
    answered.is_other_error() && !has_error
}

/// Does a success have the body that its operation documents (§4)?
pub(super) fn success(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let judged = || {
        let operation = answered.operation()?;
        let requirement = requirement(operation)?;
        let body = answered.whole_body().filter(|_| answered.is_success())?;
        Some((requirement, judge_body(operation.success_schema()?, body, answered)))
    };
    judged().into_iter().collect()
}

/// If JSON readers disagree about a member, the body is not valid, although it satisfies the schema.
fn judge_body(name: &str, body: &[u8], answered: &AnsweredExchange<'_>) -> Judgement {
    let json = answered.response.json.as_deref();
    match (schema::judge(name, &answered.document()), json) {
        (Judgement::Holds, Some(last)) if is_ambiguous(body, last) => sound_json::judge(body),
        (judgement, _) => judgement,
    }
}

/// The requirement about the body of this operation. Other checks judge the bodies of the operations without one, or
/// the bodies are free.
fn requirement(operation: Operation) -> Option<&'static str> {
    let id = format!("{}.shape", operation.as_str().replace('_', "-"));
    OF_SUCCESSES.iter().copied().find(|known| *known == id)
}
