//! The rows of a store: a change as JSON under a key, with the bytes of documents separately.
//!
//! The newest row of a key replaces the older ones. So the rows of a world restore it in any order.

use std::sync::Arc;

use crate::value::message::content::Content;
use crate::value::message::json::json_bytes;
use crate::world::state::change::Change;

/// Whether a row survives a reset of its world.
pub fn survives_reset(key: &str) -> bool {
    key.starts_with("checkpoint/")
}

/// The value of the rows that store a change: its JSON. `None` removes the rows.
pub fn value(change: &Change) -> Option<Vec<u8>> {
    let is_removal = matches!(
        change,
        Change::DeleteDelivery { .. }
            | Change::ForgetToken { .. }
            | Change::DeleteAddress { .. }
            | Change::DeleteCheckpoint { .. }
    );
    (!is_removal).then(|| json_bytes(change))
}

/// The documents whose digests are in the value.
pub fn contents(change: &Change) -> Vec<Content> {
    change.clone().contents_mut().into_iter().map(|content| content.clone()).collect()
}

/// The keys of the rows that store a change: kind and number, such as `legal_request/42`.
pub fn keys(change: &Change) -> Vec<String> {
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
