//! A change as a store keeps it: JSON under a key, with the bytes of documents apart.
//!
//! Which file the rows are in is the store's business. The newest row of a key is all that counts of
//! it, so the rows of a world, read back in any order, make the same world again.

use std::str::FromStr;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::content::Content;
use crate::message::json::json_bytes;
use crate::resource::{Delivery, DeliveryState, LegalRequest};
use crate::state::change::Change;

/// One row: a key, and what is kept under it from now on.
#[derive(Debug, Clone)]
pub struct Row {
    /// Kind and number, such as `legal_request/42`.
    pub key: String,
    /// JSON; `None` removes the row.
    pub value: Option<Vec<u8>>,
    /// The bytes that the value tells the digests of.
    pub contents: Vec<Content>,
}

/// Why a row can't be read back.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// No key of ours.
    #[error("there is no kind of row with the key `{0}`")]
    Key(String),
    /// No value of that kind.
    #[error("the row `{key}` can't be read: {cause}")]
    Value {
        /// The key.
        key: String,
        /// What is wrong.
        cause: serde_json::Error,
    },
}

/// Kinds of rows: the first segment of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    LegalRequest,
    RepositoryDocument,
    Webhook,
    Delivery,
    ExpiredToken,
    RevokedToken,
    RevokedBefore,
    Address,
    Clock,
    RateLimit,
    DeliveryPolicy,
}

impl Kind {
    const ALL: [Self; 11] = [
        Self::LegalRequest,
        Self::RepositoryDocument,
        Self::Webhook,
        Self::Delivery,
        Self::ExpiredToken,
        Self::RevokedToken,
        Self::RevokedBefore,
        Self::Address,
        Self::Clock,
        Self::RateLimit,
        Self::DeliveryPolicy,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::LegalRequest => "legal_request",
            Self::RepositoryDocument => "repository_document",
            Self::Webhook => "webhook",
            Self::Delivery => "delivery",
            Self::ExpiredToken => "expired_token",
            Self::RevokedToken => "revoked_token",
            Self::RevokedBefore => "revoked_before",
            Self::Address => "address",
            Self::Clock => "clock",
            Self::RateLimit => "rate_limit",
            Self::DeliveryPolicy => "delivery_policy",
        }
    }

    fn key(self, name: impl std::fmt::Display) -> String {
        format!("{}/{name}", self.as_str())
    }
}

/// The value of an address.
#[derive(Serialize, Deserialize)]
struct Address {
    content: Content,
    content_type: Option<String>,
}

impl Row {
    fn put(key: String, value: &impl Serialize) -> Self {
        Self { key, value: Some(json_bytes(value)), contents: Vec::new() }
    }

    fn removed(key: String) -> Self {
        Self { key, value: None, contents: Vec::new() }
    }

    fn with(mut self, contents: impl IntoIterator<Item = Content>) -> Self {
        self.contents.extend(contents);
        self
    }
}

/// The rows that keep a change.
pub fn rows(change: &Change) -> Vec<Row> {
    let row = match change {
        Change::PutLegalRequest { row, record } => {
            let files = record.submission.files.iter().map(|file| file.content.clone());
            Row::put(Kind::LegalRequest.key(row), record).with(files)
        }
        Change::PutRepositoryDocument { row, record } => {
            let content = record.content.clone();
            Row::put(Kind::RepositoryDocument.key(row), record).with([content])
        }
        Change::PutWebhook { row, record } => Row::put(Kind::Webhook.key(row), record),
        // That it was there is kept: no number is used again, and a seed row stays deleted.
        Change::DeleteWebhook { row } => Row::put(Kind::Webhook.key(row), &()),
        Change::PutDelivery { record } => Row::put(Kind::Delivery.key(record.id), record),
        Change::DeleteDelivery { id } => Row::removed(Kind::Delivery.key(id)),
        Change::ExpireToken { serial } => Row::put(Kind::ExpiredToken.key(serial), &()),
        Change::RevokeToken { serial } => Row::put(Kind::RevokedToken.key(serial), &()),
        Change::ForgetToken { serial } => {
            return vec![
                Row::removed(Kind::ExpiredToken.key(serial)),
                Row::removed(Kind::RevokedToken.key(serial)),
            ];
        }
        Change::RevokeEarlierTokens { application, serial } => {
            Row::put(Kind::RevokedBefore.key(application), serial)
        }
        Change::PutAddress { url, content, content_type } => {
            let value = Address { content: content.clone(), content_type: content_type.clone() };
            Row::put(Kind::Address.key(url), &value).with([content.clone()])
        }
        Change::SetClock(clock) => Row::put(Kind::Clock.key(""), clock),
        Change::SetRateLimit(mode) => Row::put(Kind::RateLimit.key(""), mode),
        Change::SetDeliveryPolicy(policy) => Row::put(Kind::DeliveryPolicy.key(""), policy),
    };
    vec![row]
}

/// The change that a row keeps. `fill` is asked to say where each [`Content`] of it is.
///
/// # Errors
/// [`StoredError`], and whatever `fill` says.
pub fn change<E: From<StoredError>>(
    key: &str,
    value: &[u8],
    mut fill: impl FnMut(&mut Content) -> Result<(), E>,
) -> Result<Change, E> {
    let unknown = || StoredError::Key(key.to_owned());
    let (kind, name) = key.split_once('/').ok_or_else(unknown)?;
    let kind = Kind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or_else(unknown)?;
    Ok(match kind {
        Kind::LegalRequest => {
            let mut record: LegalRequest = read(key, value)?;
            let submission = Arc::make_mut(&mut record.submission);
            submission.files.iter_mut().try_for_each(|file| fill(&mut file.content))?;
            Change::from(record)
        }
        Kind::RepositoryDocument => {
            let mut record: crate::resource::RepositoryDocument = read(key, value)?;
            fill(&mut record.content)?;
            Change::PutRepositoryDocument { row: number(key, name)?, record: Arc::new(record) }
        }
        Kind::Webhook => match read(key, value)? {
            Some(record) => {
                Change::PutWebhook { row: number(key, name)?, record: Arc::new(record) }
            }
            None => Change::DeleteWebhook { row: number(key, name)? },
        },
        Kind::Delivery => Change::PutDelivery { record: Arc::new(landed(read(key, value)?)) },
        Kind::ExpiredToken => Change::ExpireToken { serial: number(key, name)? },
        Kind::RevokedToken => Change::RevokeToken { serial: number(key, name)? },
        Kind::RevokedBefore => Change::RevokeEarlierTokens {
            application: number(key, name)?,
            serial: read(key, value)?,
        },
        Kind::Address => {
            let Address { mut content, content_type } = read(key, value)?;
            fill(&mut content)?;
            Change::PutAddress { url: name.to_owned(), content, content_type }
        }
        Kind::Clock => Change::SetClock(read(key, value)?),
        Kind::RateLimit => Change::SetRateLimit(read(key, value)?),
        Kind::DeliveryPolicy => Change::SetDeliveryPolicy(read(key, value)?),
    })
}

fn read<T: DeserializeOwned>(key: &str, value: &[u8]) -> Result<T, StoredError> {
    serde_json::from_slice(value).map_err(|cause| StoredError::Value { key: key.to_owned(), cause })
}

fn number<N: FromStr>(key: &str, name: &str) -> Result<N, StoredError> {
    name.parse().map_err(|_| StoredError::Key(key.to_owned()))
}

/// Whoever made an attempt that was in flight is gone: it is made again.
fn landed(delivery: Delivery) -> Delivery {
    match delivery.state {
        DeliveryState::InFlight { due, .. } => {
            Delivery { state: DeliveryState::Queued { due }, ..delivery }
        }
        DeliveryState::Queued { .. }
        | DeliveryState::Delivered
        | DeliveryState::Failed
        | DeliveryState::Discarded => delivery,
    }
}
