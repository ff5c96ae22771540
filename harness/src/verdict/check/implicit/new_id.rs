//! Does each new legal request and document have an id that no earlier response showed (§4.5, §4.9)?

use moot_fixtures::contract::Operation;
use serde_json::Value;

use super::AnsweredExchange;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const VERIFIES: &[&str] = &[REQUEST, DOCUMENT];

const REQUEST: &str = "create-legal-request.twice-is-two";
pub(super) const DOCUMENT: &str = "create-repository-document.twice-is-two";

/// The time of an exchange is kept in whole seconds. Ids that were shown less than this before a request are not
/// judged: the resource may have been created by that request and listed before its response came.
const APART_SECONDS_MIN: i64 = 2;

pub(super) fn judge(answered: &AnsweredExchange<'_>) -> Vec<(&'static str, Judgement)> {
    let (requirement, is_creation) = match answered.operation() {
        Some(Operation::CreateLegalRequest) => (REQUEST, true),
        Some(Operation::GetLegalRequest | Operation::ListLegalRequests) => (REQUEST, false),
        Some(Operation::CreateRepositoryDocument) => (DOCUMENT, true),
        Some(Operation::GetRepositoryDocument | Operation::ListRepositoryDocuments) => {
            (DOCUMENT, false)
        }
        _ => return Vec::new(),
    };
    let body = answered.response.json.as_deref().filter(|_| answered.is_success());
    let Some(data) = body.map(|body| &body["data"]) else { return Vec::new() };
    let members = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
    for id in members.iter().filter_map(|member| member["id"].as_str()) {
        let key = key(requirement, id);
        answered.context.shown_ids.or_remember(answered.base(), &key, answered.ended_at());
    }
    let id = data["id"].as_str().filter(|_| is_creation);
    let judgement = id.map(|id| match is_of_another(answered, requirement, &data["id"]) {
        true => belongs_to_another(id),
        false => Judgement::Holds,
    });
    judgement.map(|judgement| (requirement, judgement)).into_iter().collect()
}

/// Whether a response showed the id before this request was sent.
pub(super) fn is_of_another(
    answered: &AnsweredExchange<'_>,
    requirement: &str,
    id: &Value,
) -> bool {
    let key = id.as_str().map(|id| key(requirement, id));
    let shown_at = key.and_then(|key| answered.context.shown_ids.get(answered.base(), &key));
    let sent_at = answered.exchange.sent_at_seconds;
    shown_at.is_some_and(|shown_at| sent_at - shown_at >= APART_SECONDS_MIN)
}

/// Ids of legal requests and of documents are independent of each other.
fn key(requirement: &str, id: &str) -> String {
    format!("{requirement} {id}")
}

fn belongs_to_another(id: &str) -> Judgement {
    Judgement::fails(
        MismatchKind::Duplicate,
        format!(
            "the id {id} is that of another resource: a response showed it before this request"
        ),
        "an id that no earlier response showed",
        Value::from(id).to_string(),
    )
    .at("/data/id")
}
