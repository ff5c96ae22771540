//! A delivery of an event to a webhook (§6), with its attempts.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::value::timestamp;

/// A delivery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Delivery {
    pub(crate) id: u64,
    /// Row of its webhook.
    pub(crate) webhook: u32,
    pub(crate) webhook_id: String,
    pub(crate) event: String,
    pub(crate) legal_request_id: String,
    pub(crate) url: String,
    pub(crate) authorization: Option<String>,
    pub(crate) body: String,
    pub(crate) state: DeliveryState,
    /// Attempts made so far, oldest first.
    pub(crate) attempts: Vec<AttemptRecord>,
    /// Attempts made since it was queued: after as many as the retries allow it has failed.
    pub(crate) tries: usize,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// It waits for its next attempt.
    Queued {
        /// When that is due.
        due: Timestamp,
    },
    /// An attempt is being made; the control plane shows it as queued.
    #[strum(serialize = "queued")]
    InFlight {
        /// When it was due.
        due: Timestamp,
        /// When it began.
        began: Timestamp,
    },
    /// A receiver took it.
    Delivered,
    /// No receiver took it, and the retries are used up.
    Failed,
    /// Its webhook was deleted before.
    Discarded,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttemptRecord {
    pub(crate) at: Timestamp,
    pub(crate) outcome: AttemptOutcome,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttemptOutcome {
    /// HTTP status.
    Status(u16),
    /// Why there was none.
    Error(String),
}

impl DeliveryState {
    /// Whether an attempt is still to come or being made.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Queued { .. } | Self::InFlight { .. })
    }
}

/// JSON of a delivery, for the control plane.
#[derive(Serialize)]
pub(crate) struct DeliveryJson<'a> {
    id: u64,
    webhook_id: &'a str,
    event: &'a str,
    legal_request_id: &'a str,
    state: &'static str,
    attempts: Vec<AttemptJson<'a>>,
    next_attempt_at: Option<String>,
}

#[derive(Serialize)]
struct AttemptJson<'a> {
    at: String,
    #[serde(flatten)]
    outcome: &'a AttemptOutcome,
}

impl<'a> AttemptJson<'a> {
    fn of(attempt: &'a AttemptRecord) -> Self {
        Self { at: timestamp::exact(attempt.at), outcome: &attempt.outcome }
    }
}

impl Delivery {
    /// The JSON of the control plane.
    pub(crate) fn json(&self) -> DeliveryJson<'_> {
        DeliveryJson {
            id: self.id,
            webhook_id: &self.webhook_id,
            event: &self.event,
            legal_request_id: &self.legal_request_id,
            state: self.state.into(),
            attempts: self.attempts.iter().map(AttemptJson::of).collect(),
            next_attempt_at: match self.state {
                DeliveryState::Queued { due } => Some(timestamp::exact(due)),
                DeliveryState::InFlight { .. }
                | DeliveryState::Delivered
                | DeliveryState::Failed
                | DeliveryState::Discarded => None,
            },
        }
    }
}

/// What a delivery says about a request.
pub(crate) struct WebhookEvent<'a> {
    pub(crate) kind: &'a str,
    pub(crate) legal_request_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) status: &'a str,
    pub(crate) occurred_at: String,
}

/// The body: `{event, data: {request_id, …}}`, with the members that the answer
/// `delivery_payload` names.
pub(crate) fn payload(members: &[String], event: &WebhookEvent<'_>) -> String {
    let mut data = Map::new();
    data.insert("request_id".to_owned(), event.legal_request_id.into());
    for member in members {
        let value = match member.as_str() {
            "workflow_id" => event.workflow_id,
            "status" => event.status,
            "occurred_at" => &event.occurred_at,
            _ => continue,
        };
        data.insert(member.clone(), value.into());
    }
    Value::Object(Map::from_iter([
        ("event".to_owned(), event.kind.into()),
        ("data".to_owned(), Value::Object(data)),
    ]))
    .to_string()
}
