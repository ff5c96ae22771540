//! Is the status one that the operation documents, and no server error?

use moot_fixtures::contract::Operation;

use super::{AnsweredExchange, ImplicitContext};
use crate::verdict::check::{AnswerPart, Judgement, MismatchKind, sentence};

/// Is the answer no server error, whatever was sent?
pub(super) fn server_error(
    answered: &AnsweredExchange<'_>,
    _: &ImplicitContext,
) -> Option<Judgement> {
    let failed = || {
        let message = sentence::of_server_error(&answered.document());
        let status = answered.status().to_string();
        Judgement::fails(MismatchKind::ServerError, message, "no 5xx", status)
            .in_part(AnswerPart::Status)
    };
    Some(match answered.status() {
        // The limiter may answer so (`rate_limit_response`), and a service that is away, too.
        503 => return None,
        // These are said by a gateway about the service: trouble, perhaps of the service's making.
        502 | 504 => failed().tolerated(),
        500..=599 => failed(),
        _ => Judgement::Holds,
    })
}

/// Is the status one that the operation documents, or that an open question allows?
pub(super) fn declared(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Option<Judgement> {
    let operation = answered.operation()?;
    // Server errors are a requirement of their own: one cause, one failure.
    let is_judged = answered.status() < 500 && !is_open_refusal(operation, answered);
    is_judged.then(|| judged(operation, answered))
}

fn judged(operation: Operation, answered: &AnsweredExchange<'_>) -> Judgement {
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
    .in_part(AnswerPart::Status);
    // Other client errors are open (`other_errors`): worth a look, no violation.
    if (400..500).contains(&status) { judgement.tolerated() } else { judgement }
}

/// Success statuses that the specification does not show: any 2xx.
fn is_open_success(operation: Operation, status: u16) -> bool {
    let is_open = match operation {
        Operation::CreateRepositoryDocument
        | Operation::DeleteWebhook
        | Operation::CreateWebhook
        | Operation::RevokeToken
        | Operation::DownloadAgreement
        | Operation::GetWorkflowSchema => true,
        Operation::CreateAccessToken
        | Operation::ListWorkflows
        | Operation::GetWorkflow
        | Operation::CreateLegalRequest
        | Operation::ListLegalRequests
        | Operation::GetLegalRequest
        | Operation::GetLegalRequestActivity
        | Operation::ListRepositoryDocuments
        | Operation::GetRepositoryDocument
        | Operation::ListWebhooks => false,
    };
    // A download may send the client to a store.
    let is_redirect = operation == Operation::DownloadAgreement && (300..400).contains(&status);
    is_open && ((200..300).contains(&status) || is_redirect)
}

/// Refusals with any client error: by endpoints that the specification does not place (§4.14,
/// `token_revocation`), and of a query that a list may refuse in its own way (`page_past_end`,
/// `page_invalid`, `status_filter_unknown`).
fn is_open_refusal(operation: Operation, answered: &AnsweredExchange<'_>) -> bool {
    let is_open = match operation {
        Operation::CreateWebhook | Operation::RevokeToken => true,
        Operation::ListWorkflows
        | Operation::ListLegalRequests
        | Operation::ListRepositoryDocuments
        | Operation::ListWebhooks => answered.exchange.request.path.contains('?'),
        Operation::CreateAccessToken
        | Operation::GetWorkflow
        | Operation::GetWorkflowSchema
        | Operation::CreateLegalRequest
        | Operation::GetLegalRequest
        | Operation::GetLegalRequestActivity
        | Operation::CreateRepositoryDocument
        | Operation::GetRepositoryDocument
        | Operation::DeleteWebhook
        | Operation::DownloadAgreement => false,
    };
    is_open && (400..500).contains(&answered.status())
}
