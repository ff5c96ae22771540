//! Sentences about mismatches, for people. They are in lower case and have no full stop.

use moot_fixtures::contract::Operation;
use moot_fixtures::documents::SampleDocument;
use serde_json::Value;

use super::value_text::brief;
use super::{Document, Mismatch, MismatchKind};
use crate::exchange::escape;

/// The largest number of characters quoted from the title or detail of a problem.
const QUOTED_CHARACTERS_MAX: usize = 160;
/// The largest number of bytes quoted from a body with other bytes than expected.
const QUOTED_BYTES_MAX: usize = 16;

/// A wrong status: `registering a webhook was refused: 422 webhook_creation_error, "…"`. `accepts` says
/// whether the check accepts a status.
pub(super) fn of_status(
    expected: &str,
    accepts: impl Fn(u16) -> bool,
    document: &Document,
) -> String {
    let call = call(document);
    let Some(status) = document.status else {
        return format!("{call} has no status; expected {expected}");
    };
    let response = response(status, document.json.as_deref());
    let (is_success, is_refusal) = ((200..300).any(&accepts), (400..500).any(&accepts));
    match status {
        500.. => format!("{call} ended in a server error: {response}; expected {expected}"),
        400..=499 if is_success && !is_refusal => format!("{call} was refused: {response}"),
        400..=499 => {
            format!("{call} was refused with another status: {response}; expected {expected}")
        }
        200..=299 if is_refusal && !is_success => {
            format!("{call} was not refused: {response}; expected {expected}")
        }
        _ => format!("{call} was answered with {response}; expected {expected}"),
    }
}

/// A server error: `listing webhooks ended in a server error: 500`.
pub(super) fn of_server_error(document: &Document) -> String {
    let response = response(document.status.unwrap_or_default(), document.json.as_deref());
    format!("{} ended in a server error: {response}", call(document))
}

/// A status that the operation does not document.
pub(super) fn of_undocumented_status(document: &Document) -> String {
    let response = response(document.status.unwrap_or_default(), document.json.as_deref());
    format!("{} was answered with a status that is not documented: {response}", call(document))
}

/// A wrong value: `in the response to listing webhooks, \`/data\` is absent`.
pub(super) fn of_value(place: &str, mismatch: &Mismatch, document: &Document) -> String {
    let start = in_response(document);
    let cause = match (&mismatch.kind, document.status) {
        (MismatchKind::Absent, Some(status @ 400..)) => {
            format!(": the request was refused with {}", response(status, document.json.as_deref()))
        }
        (MismatchKind::Absent, Some(status)) if document.body.is_empty() => {
            format!(": the response is {status} without a body")
        }
        _ => String::new(),
    };
    format!("{start}{}{cause}", predicate(place, mismatch))
}

/// A body with other bytes than expected. `sample` is the expected file, if it is known.
pub(super) fn of_bytes(sample: Option<&SampleDocument>, document: &Document) -> String {
    let (start, body) = (in_response(document), &document.body[..]);
    let bytes = match document.digest {
        Some(_) => format!("more than {} bytes", body.len()),
        None => format!("{} bytes", body.len()),
    };
    let Some(SampleDocument { name, bytes: expected, .. }) = sample else {
        return format!("{start}the body has other bytes than expected: {bytes}{}", begins(body));
    };
    let equal = body.iter().zip(*expected).take_while(|(one, other)| one == other).count();
    let told = match (&body[equal..], &expected[equal..]) {
        ([], _) => format!("it ends after {equal} of {} bytes", expected.len()),
        (_, []) => format!("it has {bytes} instead of {}, and begins with them", expected.len()),
        (actual, wanted) => format!(
            "it has {bytes} instead of {}, and from byte {} on it is {} instead of {}",
            expected.len(),
            equal + 1,
            quoted(actual),
            quoted(wanted)
        ),
    };
    format!("{start}the body is not `{name}`: {told}")
}

fn begins(body: &[u8]) -> String {
    if body.is_empty() { String::new() } else { format!(" that begin with {}", quoted(body)) }
}

/// The first bytes in quotes, with escapes as in Rust.
fn quoted(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(QUOTED_BYTES_MAX)];
    let more = if shown.len() < bytes.len() { "…" } else { "" };
    format!("\"{}{more}\"", shown.escape_ascii())
}

/// The start of a sentence: `in the response to listing webhooks, `. Empty if the request is not known.
pub(super) fn in_response(document: &Document) -> String {
    if let Some(about) = &document.about {
        return format!("{about}, ");
    }
    let Some(call) = request(document) else { return String::new() };
    // A value made of the pages of a list has no bytes.
    match document.json.is_some() && document.body.is_empty() {
        false => format!("in the response to {call}, "),
        true => format!("over all pages of {call}, "),
    }
}

fn call(document: &Document) -> String {
    request(document).unwrap_or_else(|| "the request".to_owned())
}

/// The operation in words: `listing webhooks`. The request line, if it is not an operation.
fn request(document: &Document) -> Option<String> {
    let line = || document.request_line.as_ref().map(|line| format!("`{line}`"));
    document.operation.map(|operation| gerund(operation).to_owned()).or_else(line)
}

/// The status, with the texts of a problem or a token failure: `422 request_invalid, "Title", "Detail"`.
fn response(status: u16, body: Option<&Value>) -> String {
    let text = |name: &str| body?.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let mut response = status.to_string();
    if status < 400 {
        return response;
    }
    if let Some(kind) = text("type").or_else(|| text("error")) {
        response.push_str(&format!(" {}", brief(kind)));
    }
    let quoted = [text("title"), text("detail").or_else(|| text("error_description"))];
    let mut said: Vec<&str> = Vec::new();
    for text in quoted.into_iter().flatten() {
        if !said.contains(&text) {
            said.push(text);
            response.push_str(&format!(", \"{}\"", escape::cut(text, QUOTED_CHARACTERS_MAX)));
        }
    }
    response
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
        MismatchKind::NotAllowed
        | MismatchKind::Forbidden
        | MismatchKind::Pattern
        | MismatchKind::TooSmall
        | MismatchKind::TooLarge
        | MismatchKind::TooFar
        | MismatchKind::NoMember
        | MismatchKind::Format => format!("{place} is {actual}; expected {expected}"),
        MismatchKind::Part => format!("{place} is {actual}; expected a value that {expected}"),
        MismatchKind::Length => format!("{place} has {actual}; expected {expected}"),
        MismatchKind::Duplicate => format!("{place} has two equal members: {actual}"),
        MismatchKind::NoDuplicate => format!("{place} has no two equal members"),
        MismatchKind::Members => {
            format!("{place} has other members than expected: {}", mismatch.actual)
        }
        MismatchKind::MediaType
        | MismatchKind::ServerError
        | MismatchKind::Json { .. }
        | MismatchKind::Schema { .. } => mismatch.message.clone(),
    }
}

/// The operation in words.
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
    use moot_fixtures::documents::SampleDocument;
    use serde_json::{Value, json};

    use super::{of_bytes, of_status};
    use crate::verdict::check::Document;

    const SUCCESS: fn(u16) -> bool = |status| status < 300;
    const REFUSAL: fn(u16) -> bool = |status| status >= 400;

    #[track_caller]
    fn check(status: u16, body: Value, expected: &str, accepts: fn(u16) -> bool, sentence: &str) {
        let document = Document {
            status: Some(status),
            json: Some(Arc::new(body)),
            operation: Some(Operation::CreateWebhook),
            ..Document::default()
        };
        assert_eq!(of_status(expected, accepts, &document), sentence);
    }

    #[test]
    fn a_status_says_what_the_service_did() {
        let refused = json!({
            "type": "webhook_creation_error", "title": "Invalid", "detail": "The name is internal.",
        });
        check(
            422,
            refused.clone(),
            "a 2xx response",
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

    #[test]
    fn other_bytes_say_where_they_begin() {
        const SAMPLE: SampleDocument =
            SampleDocument { name: "a.pdf", media_type: "application/pdf", bytes: b"%PDF\r\nend" };
        for (body, told) in [
            (
                &b"%PDF\nend"[..],
                r#"it has 8 bytes instead of 9, and from byte 5 on it is "\nend" instead of "\r\nend""#,
            ),
            (b"%PDF", "it ends after 4 of 9 bytes"),
            (b"%PDF\r\nend\n", "it has 10 bytes instead of 9, and begins with them"),
            (
                b"<!DOCTYPE html><html>",
                r#"it has 21 bytes instead of 9, and from byte 1 on it is "<!DOCTYPE html><…" instead of "%PDF\r\nend""#,
            ),
        ] {
            let document = Document { body: body.into(), ..Document::default() };
            let expected = format!("the body is not `a.pdf`: {told}");
            assert_eq!(of_bytes(Some(&SAMPLE), &document), expected);
        }
    }

    #[test]
    fn bytes_of_no_sample_are_counted() {
        for (body, told) in
            [(&b"\0\0"[..], r#"2 bytes that begin with "\x00\x00""#), (b"", "0 bytes")]
        {
            let document = Document { body: body.into(), ..Document::default() };
            let expected = format!("the body has other bytes than expected: {told}");
            assert_eq!(of_bytes(None, &document), expected);
        }
    }
}
