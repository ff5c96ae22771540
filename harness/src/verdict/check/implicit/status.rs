//! Is the status documented for the operation, and not a server error?

use moot_fixtures::contract::Operation;

use super::AnsweredExchange;
use crate::verdict::check::{Judgement, MismatchKind, ResponsePart, sentence};

/// Is the response not a server error?
pub(super) fn server_error(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let failed = || {
        let message = sentence::of_server_error(&answered.document());
        let status = answered.status().to_string();
        Judgement::fails(MismatchKind::ServerError, message, "no 5xx", status)
            .in_part(ResponsePart::Status)
    };
    Some(match answered.status() {
        // The rate limiter may answer so (`rate_limit_response`), or a gateway of a stopped service.
        503 => return None,
        // A gateway sends these about the service. The service may or may not be the reason.
        502 | 504 => failed().tolerated(),
        500..=599 => failed(),
        _ => Judgement::Holds,
    })
}

/// Does the operation document the status, or does an open question allow it?
pub(super) fn declared(answered: &AnsweredExchange<'_>) -> Option<Judgement> {
    let operation = answered.operation()?;
    // The check above judges server errors: one cause, one finding.
    let is_judged = answered.status() < 500
        && !is_open_refusal(operation, answered)
        && !answered.is_malformed_refusal()
        && !answered.is_unacceptable_refusal();
    is_judged.then(|| judge_status(operation, answered))
}

fn judge_status(operation: Operation, answered: &AnsweredExchange<'_>) -> Judgement {
    let status = answered.status();
    let rows = operation.responses();
    if rows.iter().any(|row| row.status == status) || is_open_success(operation, status) {
        return Judgement::Holds;
    }
    let mut declared: Vec<String> = rows.iter().map(|row| row.status.to_string()).collect();
    declared.dedup();
    let judgement = Judgement::fails(
        MismatchKind::NotAllowed,
        sentence::of_undocumented_status(&answered.document()),
        format!("one of {}", declared.join(", ")),
        status.to_string(),
    )
    .in_part(ResponsePart::Status);
    // Other client errors are open (`other_errors`), so they are a warning.
    if (400..500).contains(&status) { judgement.tolerated() } else { judgement }
}

/// Whether it is a success of an operation for which the specification states no success status. Scenarios judge the
/// status of a token response by RFC 6749.
fn is_open_success(operation: Operation, status: u16) -> bool {
    let is_open = matches!(
        operation,
        Operation::CreateAccessToken
            | Operation::CreateRepositoryDocument
            | Operation::DeleteWebhook
            | Operation::CreateWebhook
            | Operation::RevokeToken
            | Operation::DownloadAgreement
            | Operation::GetWorkflowSchema
    );
    // A download may redirect the client to a file store.
    let is_redirect = operation == Operation::DownloadAgreement && (300..400).contains(&status);
    is_open && ((200..300).contains(&status) || is_redirect)
}

/// Whether any client error is allowed. Two operations have no path in the specification (§4.14,
/// `token_revocation`). A list may refuse a query in its own way (`page_past_end`, `page_invalid`,
/// `status_filter_unknown`), and an upload a document (`file_and_url`, `url_refused`, `upload_types`).
fn is_open_refusal(operation: Operation, answered: &AnsweredExchange<'_>) -> bool {
    let has_query = answered.exchange.request.path.contains('?');
    let is_open = matches!(
        operation,
        Operation::CreateRepositoryDocument | Operation::CreateWebhook | Operation::RevokeToken
    ) || (operation.is_list() && has_query);
    is_open && (400..500).contains(&answered.status())
}
