//! Does a problem type of §7 have the status and title that §7 gives it, and is the type of a refused
//! token one of §7?

use moot_fixtures::contract::{Operation, ProblemType};

use super::AnsweredExchange;
use crate::verdict::check::value_text::value_text;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const VERIFIES: &[&str] =
    &["errors.known-type", "errors.title-of-type", "errors.type-of-401"];

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let Some(problem) = answered.problem() else { return Vec::new() };
    let name = problem.get("type").and_then(|name| name.as_str());
    let known = ProblemType::STATED.into_iter().find(|known| Some(known.as_str()) == name);
    let mut findings = Vec::new();
    if let Some(name) = name.filter(|_| answered.status() == 401 && answered.takes_token()) {
        let judgement = type_of_401(name, known);
        findings.push(("errors.type-of-401", judgement));
    }
    let Some(known) = known else { return findings };
    findings.push(("errors.known-type", status(answered, known)));
    let title = problem.get("title");
    if title.is_some_and(serde_json::Value::is_string) {
        let holds = title.and_then(|title| title.as_str()) == Some(known.title());
        let judgement =
            if holds { Judgement::Holds } else { wrong_title(answered, known, &value_text(title)) };
        findings.push(("errors.title-of-type", judgement));
    }
    findings
}

/// The type of a 401 is one of the types about tokens.
fn type_of_401(name: &str, known: Option<ProblemType>) -> Judgement {
    let is_of_token = matches!(
        known,
        Some(ProblemType::InvalidToken | ProblemType::TokenExpired | ProblemType::TokenRevoked)
    );
    if is_of_token {
        return Judgement::Holds;
    }
    let message = "a 401 has a type that says nothing about the token";
    let expected = "invalid_token, token_expired or token_revoked";
    Judgement::fails(MismatchKind::NotAllowed, message, expected, name).at("/type")
}

fn status(answered: &AnsweredExchange<'_>, known: ProblemType) -> Judgement {
    if answered.status() == known.status() {
        return Judgement::Holds;
    }
    let judgement = Judgement::fails(
        MismatchKind::Value,
        format!(
            "the problem type `{}` comes with status {}, and §7 gives it {}",
            known.as_str(),
            answered.status(),
            known.status(),
        ),
        known.status().to_string(),
        answered.status().to_string(),
    )
    .at("/type");
    if is_status_open(answered, known) { judgement.tolerated() } else { judgement }
}

/// Whether an open question may allow another status than that of §7. The exchange alone does not show
/// whether the question is really about this call.
fn is_status_open(answered: &AnsweredExchange<'_>, known: ProblemType) -> bool {
    let is_input = matches!(
        known,
        ProblemType::ParameterMissing
            | ProblemType::RequestNotFound
            | ProblemType::RepositoryDocumentCreationError
    );
    if !is_input || !(400..500).contains(&answered.status()) {
        return false;
    }
    match answered.operation() {
        // `file_and_url`, `url_refused`; `webhook_create_endpoint`; `other_errors`.
        Some(Operation::CreateRepositoryDocument | Operation::CreateWebhook) | None => true,
        // `request_workflow_unknown`, `request_requester_unknown`, `request_field_invalid`.
        Some(Operation::CreateLegalRequest) => matches!(answered.status(), 400 | 403 | 404 | 422),
        // `page_invalid`, `page_past_end`, `status_filter_unknown`.
        Some(operation) if operation.is_list() => true,
        // `other_company`.
        Some(_) => known == ProblemType::RequestNotFound && answered.status() == 403,
    }
}

fn wrong_title(answered: &AnsweredExchange<'_>, known: ProblemType, title: &str) -> Judgement {
    let judgement = Judgement::fails(
        MismatchKind::Value,
        format!(
            "the problem type `{}` comes with the title {title}, and §7 gives it {:?}",
            known.as_str(),
            known.title(),
        ),
        format!("{:?}", known.title()),
        title,
    )
    .at("/title");
    // Type and title of a 404 are open, except for legal requests (`not_found_type`).
    let is_of_requests = matches!(
        answered.operation(),
        Some(Operation::GetLegalRequest | Operation::GetLegalRequestActivity)
    );
    if known == ProblemType::RequestNotFound && !is_of_requests {
        return judgement.tolerated();
    }
    judgement
}
