//! Access control that is too loose: wrong tokens are accepted, and wrong ids are found.

use http::header::AUTHORIZATION;
use moot_fixtures::contract::{Operation, ProblemType};
use serde::Deserialize;

use super::call::{ArrivingCall, DefectCall};
use super::call_edit::QueryParameter;
use super::edit;
use super::likeness::Likeness;
use crate::value::message::call::Admission;
use crate::world::Outcome;

/// How the token of a call is read and compared.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TokenAct {
    /// The token is compared loosely with the issued tokens.
    Like(Likeness),
    /// The token may follow another scheme, or none.
    AnyScheme,
    /// The token may be in the query.
    InQuery,
}

impl TokenAct {
    /// Admits a call of one of the operations `of` whose token was refused as invalid, if this defect accepts the
    /// token. Any other admission stays as it is.
    pub(super) fn apply(
        &self,
        of: &[Operation],
        call: &ArrivingCall<'_>,
        admission: Admission,
    ) -> Admission {
        let is_refused = ArrivingCall::problem(&admission) == Some(ProblemType::InvalidToken);
        if !is_refused || !call.is_of(of) {
            return admission;
        }
        match self.token(call).and_then(|token| call.with_token(&token)) {
            Some(admitted @ Admission::Admitted(_)) => admitted,
            Some(Admission::Refused(..)) | None => admission,
        }
    }

    fn token(&self, call: &ArrivingCall<'_>) -> Option<String> {
        let sent = call.head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        match self {
            Self::Like(likeness) => {
                let sent = call.bearer()?;
                call.memory.token(|known| likeness.is_match(known, sent))
            }
            Self::AnyScheme => sent?.split(' ').next_back().map(str::to_owned),
            Self::InQuery => {
                let mut pairs = form_urlencoded::parse(call.head.query?.as_bytes());
                pairs.find(|(name, _)| name == "access_token").map(|(_, token)| token.into_owned())
            }
        }
    }
}

/// Answers a call that found nothing again, with the id of the caller's first resource that is like the id that
/// was sent. Any other outcome stays as it is.
pub(super) fn find_like(like: Likeness, call: &DefectCall<'_>, outcome: Outcome) -> Outcome {
    if outcome.response.status != 404 {
        return outcome;
    }
    let list = list_of(call.call.admitted.operation);
    let ids = list.map(|list| ids(call, list)).unwrap_or_default();
    match ids.iter().find(|known| like.is_match(known, call.id())) {
        Some(known) => call.answer_of_id(known),
        None => outcome,
    }
}

/// The list of the resources that an operation names in its path.
fn list_of(operation: Operation) -> Option<Operation> {
    match operation {
        Operation::GetWorkflow | Operation::GetWorkflowSchema => Some(Operation::ListWorkflows),
        Operation::GetLegalRequest | Operation::GetLegalRequestActivity => {
            Some(Operation::ListLegalRequests)
        }
        Operation::GetRepositoryDocument => Some(Operation::ListRepositoryDocuments),
        Operation::DeleteWebhook => Some(Operation::ListWebhooks),
        _ => None,
    }
}

/// The ids of the caller's resources.
fn ids(call: &DefectCall<'_>, list: Operation) -> Vec<String> {
    let mut found = Vec::new();
    for page in 1.. {
        let listed = call.answer_of_list(list, &QueryParameter::page(page));
        let body = edit::json(&listed.response).unwrap_or_default();
        let members = body.pointer("/data").and_then(|data| data.as_array());
        let Some(members) = members.filter(|members| !members.is_empty()) else { break };
        let ids = members.iter().filter_map(|member| member.get("id")?.as_str());
        found.extend(ids.map(str::to_owned));
    }
    found
}
