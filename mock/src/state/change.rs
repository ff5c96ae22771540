//! Changes of a world as plain values, so that a store can keep exactly these changes.
//!
//! A change decides nothing. A decision with several consequences is a list of changes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use crate::message::content::Content;
use crate::resource::{Delivery, LegalRequest, RepositoryDocument, Webhook};
use crate::value::clock::Clock;
use crate::value::delivery_policy::DeliveryPolicy;
use crate::value::limits::JOURNAL_CHANGES_MAX;
use crate::value::settings::RateLimitMode;
use crate::value::timestamp;

/// One change.
#[derive(Debug, Clone)]
pub enum Change {
    /// Creates or replaces a legal request.
    PutLegalRequest {
        /// Its row.
        row: u32,
        /// The new value.
        record: Arc<LegalRequest>,
    },
    /// Creates a repository document.
    PutRepositoryDocument {
        /// Its row.
        row: u32,
        /// The new value.
        record: Arc<RepositoryDocument>,
    },
    /// Creates a webhook.
    PutWebhook {
        /// Its row.
        row: u32,
        /// The new value.
        record: Arc<Webhook>,
    },
    /// Deletes a webhook.
    DeleteWebhook {
        /// Its row.
        row: u32,
    },
    /// Creates or replaces a delivery.
    PutDelivery {
        /// The new value.
        record: Arc<Delivery>,
    },
    /// Forgets a delivery.
    DeleteDelivery {
        /// Its id.
        id: u64,
    },
    /// Lets a token expire early.
    ExpireToken {
        /// Number of the call that issued it.
        serial: u64,
    },
    /// Revokes a token.
    RevokeToken {
        /// Number of the call that issued it.
        serial: u64,
    },
    /// Removes the mark that a token expired early or was revoked.
    ForgetToken {
        /// Number of the call that issued it.
        serial: u64,
    },
    /// Revokes the earlier tokens of an application.
    RevokeEarlierTokens {
        /// Its index.
        application: u32,
        /// Number of the call that issued the first token that stays valid.
        serial: u64,
    },
    /// Registers the bytes of an address.
    PutAddress {
        /// The address, as the WHATWG parser writes it.
        url: String,
        /// Its bytes.
        content: Content,
        /// Their media type.
        content_type: Option<String>,
    },
    /// Sets the clock.
    SetClock(Clock),
    /// Sets the mode of the rate limit.
    SetRateLimit(RateLimitMode),
    /// Sets the delivery policy.
    SetDeliveryPolicy(DeliveryPolicy),
}

/// The first changes of a list in words, then the number of the others.
pub(crate) fn summary(changes: &[Change]) -> Vec<String> {
    let mut words: Vec<String> =
        changes.iter().take(JOURNAL_CHANGES_MAX).map(Change::to_string).collect();
    let more = changes.len() - words.len();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words
}

impl From<LegalRequest> for Change {
    /// The change that creates or replaces a row.
    fn from(record: LegalRequest) -> Self {
        Self::PutLegalRequest { row: record.row, record: Arc::new(record) }
    }
}

impl fmt::Display for Change {
    /// The change in words.
    fn fmt(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PutLegalRequest { record, .. } => {
                write!(words, "legal request {} is {}", record.id, record.status().as_str())
            }
            Self::PutRepositoryDocument { record, .. } => {
                write!(words, "document {} stored", record.id)
            }
            Self::PutWebhook { record, .. } => write!(words, "webhook {} registered", record.id),
            Self::DeleteWebhook { row } => write!(words, "webhook of row {row} deleted"),
            Self::PutDelivery { record } => {
                let state: &str = record.state.into();
                write!(words, "delivery {} to {} {state}", record.id, record.url)
            }
            Self::DeleteDelivery { id } => write!(words, "delivery {id} forgotten"),
            Self::ExpireToken { serial } => write!(words, "token of call {serial} expired"),
            Self::RevokeToken { serial } => write!(words, "token of call {serial} revoked"),
            Self::ForgetToken { serial } => write!(words, "token of call {serial} forgotten"),
            Self::RevokeEarlierTokens { serial, .. } => {
                write!(words, "tokens of the application before call {serial} revoked")
            }
            Self::PutAddress { url, .. } => write!(words, "address {url} registered"),
            Self::SetClock(_) => write!(words, "clock set"),
            Self::SetRateLimit(mode) => write!(words, "rate limit set to {mode}"),
            Self::SetDeliveryPolicy(_) => write!(words, "delivery policy set"),
        }
    }
}

/// A due step or attempt that was made, as the control plane reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Its time.
    pub at: Timestamp,
    /// Its kind.
    pub kind: EffectKind,
    /// The id of the legal request or delivery.
    pub id: String,
    /// The effect in words.
    pub detail: String,
}

/// The kind of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// A legal request changed its status.
    Transition,
    /// A legal request expired.
    Expiry,
    /// A delivery was queued.
    Delivery,
}

/// The JSON of an effect: a member of `fired`.
#[derive(Serialize)]
pub(crate) struct EffectJson<'a> {
    at: String,
    kind: EffectKind,
    id: &'a str,
    detail: &'a str,
}

impl Effect {
    /// The JSON on the control plane.
    pub(crate) fn view(&self) -> EffectJson<'_> {
        EffectJson {
            at: timestamp::exact(self.at),
            kind: self.kind,
            id: &self.id,
            detail: &self.detail,
        }
    }
}
