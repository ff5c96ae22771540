//! What a mismatch says: one sentence about the service, made from its kind. Lower case, no full stop.

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::shown::brief;
use super::{Document, Mismatch, MismatchKind};
use crate::exchange::escape;

/// Characters quoted of a title or a detail of a problem.
const QUOTED_CHARACTERS_MAX: usize = 160;

/// What a check wants of a status, by classes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WantedStatus {
    /// Whether a 2xx answer may satisfy it.
    pub(super) success: bool,
    /// Whether a 4xx answer may satisfy it.
    pub(super) refusal: bool,
}

/// The status is another one: `registering a webhook was refused: 422 webhook_creation_error, "…"`.
pub(super) fn of_status(expected: &str, wanted: WantedStatus, document: &Document) -> String {
    let call = call(document);
    let Some(status) = document.status else {
        return format!("{call} has no status; expected {expected}");
    };
    let answer = answer(status, document.json.as_deref());
    match (status, wanted) {
        (500.., _) => format!("{call} ended in a server error: {answer}; expected {expected}"),
        (400..=499, WantedStatus { success: true, refusal: false }) => {
            format!("{call} was refused: {answer}")
        }
        (400..=499, _) => {
            format!("{call} was refused with another status: {answer}; expected {expected}")
        }
        (200..=299, WantedStatus { success: false, refusal: true }) => {
            format!("{call} was not refused: {answer}; expected {expected}")
        }
        (_, _) => format!("{call} was answered with {answer}; expected {expected}"),
    }
}

/// The service failed: `listing webhooks ended in a server error: 500`.
pub(super) fn of_server_error(document: &Document) -> String {
    let answer = answer(document.status.unwrap_or_default(), document.json.as_deref());
    format!("{} ended in a server error: {answer}", call(document))
}

/// The operation documents no such status.
pub(super) fn of_undocumented_status(document: &Document) -> String {
    let answer = answer(document.status.unwrap_or_default(), document.json.as_deref());
    format!("{} was answered with a status that is not documented: {answer}", call(document))
}

/// A value at a place of the answer: `in the answer to listing webhooks, \`/data\` is absent`.
pub(super) fn of_value(place: &str, mismatch: &Mismatch, document: &Document) -> String {
    format!("{}{}", in_answer(document), predicate(place, mismatch))
}

/// `in the answer to listing webhooks, `; empty where neither one answer nor a list is meant.
pub(super) fn in_answer(document: &Document) -> String {
    let Some(call) = request(document) else { return String::new() };
    // The pages of a list as one value have no bytes.
    match document.json.is_some() && document.body.is_empty() {
        false => format!("in the answer to {call}, "),
        true => format!("over all pages of {call}, "),
    }
}

fn call(document: &Document) -> String {
    request(document).unwrap_or_else(|| "the request".to_owned())
}

/// What was asked: `listing webhooks`, or the method and the path of what is not an operation.
fn request(document: &Document) -> Option<String> {
    let line = || document.request_line.as_ref().map(|line| format!("`{line}`"));
    document.operation.map(|operation| gerund(operation).to_owned()).or_else(line)
}

/// A status, with what a problem or a token failure says: `422 request_invalid, "Title", "Detail"`.
fn answer(status: u16, body: Option<&Value>) -> String {
    let text = |name: &str| body?.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let mut answer = status.to_string();
    if status < 400 {
        return answer;
    }
    if let Some(kind) = text("type").or_else(|| text("error")) {
        answer.push_str(&format!(" {}", brief(kind)));
    }
    let quoted = [text("title"), text("detail").or_else(|| text("error_description"))];
    let mut said: Vec<&str> = Vec::new();
    for text in quoted.into_iter().flatten() {
        if !said.contains(&text) {
            said.push(text);
            answer.push_str(&format!(", \"{}\"", escape::cut(text, QUOTED_CHARACTERS_MAX)));
        }
    }
    answer
}

fn predicate(place: &str, mismatch: &Mismatch) -> String {
    let (expected, actual) = (brief(&mismatch.expected), brief(&mismatch.actual));
    match &mismatch.kind {
        MismatchKind::Absent => format!("{place} is absent"),
        MismatchKind::Present => format!("{place} is present and must not be: {actual}"),
        MismatchKind::Type => {
            format!("{place} has another type: expected {expected}, got {actual}")
        }
        MismatchKind::Value => format!("{place} differs: expected {expected}, got {actual}"),
        MismatchKind::Forbidden => format!("{place} has what it must not have: {actual}"),
        MismatchKind::NotAllowed
        | MismatchKind::Pattern
        | MismatchKind::TooSmall
        | MismatchKind::TooLarge
        | MismatchKind::TooFar
        | MismatchKind::Format => format!("{place} is {actual}; expected {expected}"),
        MismatchKind::Part => format!("{place} is {actual}; expected a value that {expected}"),
        MismatchKind::Length => format!("{place} has {actual}; expected {expected}"),
        MismatchKind::Duplicate => format!("{place} has two equal members: {actual}"),
        MismatchKind::NoDuplicate => format!("{place} has no two equal members"),
        MismatchKind::NoMember => format!("no member of {place} is {expected}"),
        MismatchKind::Members => format!("{place} has other members than expected: {actual}"),
        MismatchKind::MediaType
        | MismatchKind::ServerError
        | MismatchKind::Json { .. }
        | MismatchKind::Schema { .. } => mismatch.message.clone(),
    }
}

/// What a client does with an operation.
pub(super) const fn gerund(operation: Operation) -> &'static str {
    match operation {
        Operation::CreateAccessToken => "asking for an access token",
        Operation::RevokeToken => "revoking a token",
        Operation::ListWorkflows => "listing workflows",
        Operation::GetWorkflow => "reading a workflow",
        Operation::GetWorkflowSchema => "reading the schema of a workflow",
        Operation::CreateLegalRequest => "creating a legal request",
        Operation::ListLegalRequests => "listing legal requests",
        Operation::GetLegalRequest => "reading a legal request",
        Operation::GetLegalRequestActivity => "reading the activity log of a legal request",
        Operation::DownloadAgreement => "downloading an agreement",
        Operation::CreateRepositoryDocument => "creating a repository document",
        Operation::ListRepositoryDocuments => "listing repository documents",
        Operation::GetRepositoryDocument => "reading a repository document",
        Operation::CreateWebhook => "registering a webhook",
        Operation::ListWebhooks => "listing webhooks",
        Operation::DeleteWebhook => "deleting a webhook",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use moot_fixtures::contract::Operation;
    use serde_json::{Value, json};

    use super::{WantedStatus, of_status};
    use crate::verdict::check::Document;

    const SUCCESS: WantedStatus = WantedStatus { success: true, refusal: false };
    const REFUSAL: WantedStatus = WantedStatus { success: false, refusal: true };

    #[track_caller]
    fn check(status: u16, body: Value, expected: &str, wanted: WantedStatus, sentence: &str) {
        let document = Document {
            status: Some(status),
            json: Some(Arc::new(body)),
            operation: Some(Operation::CreateWebhook),
            ..Document::default()
        };
        assert_eq!(of_status(expected, wanted, &document), sentence);
    }

    #[test]
    fn a_status_says_what_the_service_did() {
        let refused = json!({
            "type": "webhook_creation_error", "title": "Invalid", "detail": "The name is internal.",
        });
        check(
            422,
            refused.clone(),
            "a 2xx answer",
            SUCCESS,
            "registering a webhook was refused: 422 webhook_creation_error, \"Invalid\", \"The name \
             is internal.\"",
        );
        check(
            422,
            refused,
            "403",
            REFUSAL,
            "registering a webhook was refused with another status: 422 webhook_creation_error, \
             \"Invalid\", \"The name is internal.\"; expected 403",
        );
        let made = json!({ "data": {} });
        let sentence = "registering a webhook was not refused: 201; expected 422";
        check(201, made.clone(), "422", REFUSAL, sentence);
        let sentence = "registering a webhook was answered with 201; expected 200";
        check(201, made, "200", SUCCESS, sentence);
        let oauth = json!({ "error": "invalid_scope", "error_description": "No such scope" });
        let sentence = "registering a webhook was refused: 400 invalid_scope, \"No such scope\"";
        check(400, oauth, "200", SUCCESS, sentence);
        let sentence = "registering a webhook ended in a server error: 500; expected 403";
        check(500, json!(null), "403", REFUSAL, sentence);
    }
}
