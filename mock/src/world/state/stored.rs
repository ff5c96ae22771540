//! The rows of a store: a change as JSON under a key, with the bytes of documents separately.
//!
//! The newest row of a key replaces the older ones. So the rows of a world restore it in any order.

use std::sync::Arc;

use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::world::state::change::Change;

/// One row: a key and its new value.
#[derive(Debug, Clone)]
pub struct StoredRow {
    /// Kind and number, such as `legal_request/42`.
    pub key: String,
    /// A change as JSON; `None` removes the row.
    pub value: Option<Vec<u8>>,
    /// The documents whose digests are in the value.
    pub contents: Vec<Content>,
}

/// Whether a row survives a reset of its world.
pub fn survives_reset(key: &str) -> bool {
    key.starts_with("checkpoint/")
}

/// The rows that store a change.
pub fn rows(change: &Change) -> Vec<StoredRow> {
    let is_removal = matches!(
        change,
        Change::DeleteDelivery { .. }
            | Change::ForgetToken { .. }
            | Change::DeleteAddress { .. }
            | Change::DeleteCheckpoint { .. }
    );
    let mut copy = change.clone();
    let contents: Vec<Content> = copy.contents_mut().into_iter().map(|it| it.clone()).collect();
    let row = |key| StoredRow {
        key,
        value: (!is_removal).then(|| json_bytes(change)),
        contents: contents.clone(),
    };
    keys(change).into_iter().map(row).collect()
}

fn keys(change: &Change) -> Vec<String> {
    vec![match change {
        Change::PutLegalRequest { row, .. } => format!("legal_request/{row}"),
        Change::PutRepositoryDocument { row, .. } => format!("repository_document/{row}"),
        // A deletion is stored too: the number is not used again, and a deleted seed row stays deleted.
        Change::PutWebhook { row, .. } | Change::DeleteWebhook { row } => format!("webhook/{row}"),
        Change::PutDelivery { record } => format!("delivery/{}", record.id),
        Change::DeleteDelivery { id } => format!("delivery/{id}"),
        Change::ExpireToken { serial } => format!("expired_token/{serial}"),
        Change::RevokeToken { serial } => format!("revoked_token/{serial}"),
        Change::ForgetToken { serial } => {
            return vec![format!("expired_token/{serial}"), format!("revoked_token/{serial}")];
        }
        Change::RevokeEarlierTokens { application, .. } => format!("revoked_before/{application}"),
        Change::PutAddress { url, .. } | Change::DeleteAddress { url } => format!("address/{url}"),
        Change::SetClock(_) => "clock".to_owned(),
        Change::SetRateLimit(_) => "rate_limit".to_owned(),
        Change::SetDeliveryPolicy(_) => "delivery_policy".to_owned(),
        Change::SetProgression(_) => "progression".to_owned(),
        Change::SetAnswers(_) => "answers".to_owned(),
        Change::SetUser { company, email, .. } => format!("user/{company}/{email}"),
        Change::SetApplication { index, .. } => format!("application/{index}"),
        Change::SetWorkflow { row, .. } => format!("workflow/{row}"),
        Change::PutCheckpoint { name, .. } | Change::DeleteCheckpoint { name } => {
            format!("checkpoint/{name}")
        }
    }]
}

/// The change of a row. An interrupted attempt of a delivery is queued again. The caller finds the bytes of the
/// documents.
///
/// # Errors
/// The value is not a change.
pub fn change(value: &[u8]) -> Result<Change, serde_json::Error> {
    let mut change = serde_json::from_slice(value)?;
    if let Change::PutDelivery { record } = &mut change {
        Arc::make_mut(record).resume();
    }
    Ok(change)
}
