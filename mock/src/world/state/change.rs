//! Changes of a world as plain values, so that a store can keep them.
//!
//! A change decides nothing. An operation decides, and returns all consequences as a list of changes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::contract::{Answers, LegalRequestStatus};
use moot_fixtures::world::{SeedApplication, SeedWorkflow};
use serde::{Deserialize, Serialize};

use crate::value::clock::Clock;
use crate::value::delivery_policy::DeliveryPolicy;
use crate::value::limits::JOURNAL_CHANGES_MAX;
use crate::value::message::content::Content;
use crate::value::settings::{Progression, RateLimitMode};
use crate::world::state::resource::{Delivery, LegalRequest, RepositoryDocument, Webhook};

/// One change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Deletes a delivery.
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
    /// Registers the response of an address.
    PutAddress {
        /// The address, as the WHATWG parser writes it.
        url: String,
        /// Its response.
        response: AddressResponse,
    },
    /// Deletes the response of an address.
    DeleteAddress {
        /// The address.
        url: String,
    },
    /// Sets the clock.
    SetClock(Clock),
    /// Sets the mode of the rate limit.
    SetRateLimit(RateLimitMode),
    /// Sets the delivery policy.
    SetDeliveryPolicy(DeliveryPolicy),
    /// Sets the progression of new legal requests.
    SetProgression(Progression),
    /// Sets the answers to the open questions.
    SetAnswers(Arc<Answers>),
    /// Adds or removes a user.
    SetUser {
        /// Index of the company.
        company: u32,
        /// The address.
        email: String,
        /// `false` removes it.
        is_user: bool,
    },
    /// Adds, replaces or removes an application.
    SetApplication {
        /// Its index.
        index: u32,
        /// The new value.
        amendment: Amendment<SeedApplication>,
    },
    /// Adds, replaces or removes a workflow.
    SetWorkflow {
        /// Its row.
        row: u32,
        /// The new value.
        amendment: Amendment<SeedWorkflow>,
    },
    /// Creates or replaces a checkpoint.
    PutCheckpoint {
        /// Its name.
        name: String,
        /// The new value.
        checkpoint: Arc<Checkpoint>,
    },
    /// Deletes a checkpoint.
    DeleteCheckpoint {
        /// Its name.
        name: String,
    },
}

/// A row that differs from the seed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Amendment<R> {
    /// Index of its company.
    pub(crate) company: u32,
    /// The new value.
    pub(crate) record: Arc<R>,
    /// `true` removes it.
    pub(crate) is_removed: bool,
}

impl<R> Amendment<R> {
    fn verb(&self) -> &'static str {
        if self.is_removed { "removed" } else { "set" }
    }
}

/// The response that a test registered for an address.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AddressResponse {
    /// Its bytes; `None` if fetching them fails.
    pub(crate) content: Option<Content>,
    /// The status of the failure.
    #[serde(default)]
    pub(crate) status: Option<u16>,
    /// The media type of the bytes.
    pub(crate) content_type: Option<String>,
    /// Milliseconds of real time that fetching takes.
    #[serde(default)]
    pub(crate) milliseconds: Option<u64>,
}

/// A state of a world to which a test can return. It shares its rows with the world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The world's time when it was made.
    pub made_at: Timestamp,
    /// The changes that lead from the seed to this state.
    pub changes: Vec<Change>,
}

/// The first changes of a list in words, and the number of the others.
pub(crate) fn summary(changes: &[Change]) -> Vec<String> {
    let mut words: Vec<String> =
        changes.iter().take(JOURNAL_CHANGES_MAX).map(Change::to_string).collect();
    let more = changes.len() - words.len();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    words
}

impl Change {
    /// Whether it is an amendment.
    pub(crate) const fn amends(&self) -> bool {
        matches!(
            self,
            Self::SetAnswers(_)
                | Self::SetUser { .. }
                | Self::SetApplication { .. }
                | Self::SetWorkflow { .. }
        )
    }

    /// The documents of its records.
    pub(crate) fn contents_mut(&mut self) -> Vec<&mut Content> {
        match self {
            Self::PutLegalRequest { record, .. } => {
                let submission = Arc::make_mut(&mut Arc::make_mut(record).submission);
                submission.files.iter_mut().map(|file| &mut file.content).collect()
            }
            Self::PutRepositoryDocument { record, .. } => vec![&mut Arc::make_mut(record).content],
            Self::PutAddress { response, .. } => response.content.iter_mut().collect(),
            Self::PutCheckpoint { checkpoint, .. } => {
                let changes = &mut Arc::make_mut(checkpoint).changes;
                changes.iter_mut().flat_map(Self::contents_mut).collect()
            }
            _ => Vec::new(),
        }
    }
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
                write!(words, "legal request {} is {}", record.id, record.status.as_str())
            }
            Self::PutRepositoryDocument { record, .. } => {
                write!(words, "document {} stored", record.id)
            }
            Self::PutWebhook { record, .. } => write!(words, "webhook {} registered", record.id),
            Self::DeleteWebhook { row } => write!(words, "webhook of row {row} deleted"),
            Self::PutDelivery { record } => {
                let state: &str = record.progress.state().into();
                write!(words, "delivery {} to {} {state}", record.id, record.url)
            }
            Self::DeleteDelivery { id } => write!(words, "delivery {id} forgotten"),
            Self::ExpireToken { serial } => write!(words, "token of call {serial} expired"),
            Self::RevokeToken { serial } => write!(words, "token of call {serial} revoked"),
            Self::ForgetToken { serial } => write!(words, "token of call {serial} forgotten"),
            Self::RevokeEarlierTokens { serial, .. } => {
                write!(words, "tokens of the application before call {serial} revoked")
            }
            Self::PutAddress { url, .. } => write!(words, "address {url} set"),
            Self::DeleteAddress { url } => write!(words, "address {url} forgotten"),
            Self::SetClock(_) => write!(words, "clock set"),
            Self::SetRateLimit(mode) => write!(words, "rate limit set to {mode}"),
            Self::SetDeliveryPolicy(_) => write!(words, "delivery policy set"),
            Self::SetProgression(progression) => write!(words, "progression set to {progression}"),
            Self::SetAnswers(_) => write!(words, "answers set"),
            Self::SetUser { email, is_user: true, .. } => write!(words, "user {email} added"),
            Self::SetUser { email, .. } => write!(words, "user {email} removed"),
            Self::SetApplication { amendment, .. } => {
                write!(words, "application {} {}", amendment.record.client_id, amendment.verb())
            }
            Self::SetWorkflow { amendment, .. } => {
                write!(words, "workflow {} {}", amendment.record.name, amendment.verb())
            }
            Self::PutCheckpoint { name, .. } => write!(words, "checkpoint {name} made"),
            Self::DeleteCheckpoint { name } => write!(words, "checkpoint {name} forgotten"),
        }
    }
}

/// An automatic step or an attempt that fell due, as the control plane reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

impl Effect {
    /// A change of the status of a request.
    pub(crate) fn transition(
        at: Timestamp,
        record: &LegalRequest,
        from: LegalRequestStatus,
        to: LegalRequestStatus,
    ) -> Self {
        let kind = match to {
            LegalRequestStatus::Expired => EffectKind::Expiry,
            _ => EffectKind::Transition,
        };
        let detail = format!("{} -> {}", from.as_str(), to.as_str());
        Self { at, kind, id: record.id.clone(), detail }
    }

    /// A delivery of an event.
    pub(crate) fn delivery(at: Timestamp, delivery: u64, event: &str, url: &str) -> Self {
        let (kind, detail) = (EffectKind::Delivery, format!("{event} to {url}"));
        Self { at, kind, id: delivery.to_string(), detail }
    }
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
