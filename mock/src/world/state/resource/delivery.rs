//! A delivery of an event to a webhook (§6), with its attempts.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::value::timestamp;

/// The outcome of an attempt during which the process ended.
const INTERRUPTED: &str = "the mock ended during this attempt, so the receiver may get it twice";

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
    /// Whether the credential is not that of the webhook, on purpose.
    #[serde(default)]
    pub(crate) is_forged: bool,
    pub(crate) body: String,
    pub(crate) state: DeliveryState,
    /// The attempts so far, the oldest first.
    pub(crate) attempts: Vec<AttemptRecord>,
    /// Attempts since it was last queued. The delivery fails when they reach the number of retries.
    pub(crate) tries: usize,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeliveryState {
    /// Waits for its next attempt.
    Queued {
        /// When the attempt is due.
        due: Timestamp,
    },
    /// An attempt is in flight. The control plane shows it as queued.
    #[strum(serialize = "queued")]
    InFlight {
        /// When the attempt was due.
        due: Timestamp,
        /// When the attempt began.
        began: Timestamp,
    },
    /// A receiver accepted it.
    Delivered,
    /// No receiver accepted it, and there are no more retries.
    Failed,
    /// Its webhook was deleted before the delivery.
    Discarded,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttemptRecord {
    pub(crate) at: Timestamp,
    pub(crate) outcome: AttemptOutcome,
    /// Real time until the receiver answered, or the attempt was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) milliseconds: Option<u64>,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttemptOutcome {
    /// HTTP status.
    Status(u16),
    /// Why there was no answer.
    Error(String),
}

impl DeliveryState {
    /// Whether an attempt is due later or in flight.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Queued { .. } | Self::InFlight { .. })
    }
}

/// The JSON of a delivery on the control plane.
#[derive(Serialize)]
pub(crate) struct DeliveryJson<'a> {
    id: u64,
    webhook_id: &'a str,
    event: &'a str,
    legal_request_id: &'a str,
    state: &'static str,
    attempts: Vec<AttemptJson<'a>>,
    next_attempt_at: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    forged: bool,
}

#[derive(Serialize)]
struct AttemptJson<'a> {
    at: String,
    #[serde(flatten)]
    outcome: &'a AttemptOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<u64>,
}

impl<'a> AttemptJson<'a> {
    fn of(attempt: &'a AttemptRecord) -> Self {
        let AttemptRecord { at, outcome, milliseconds } = attempt;
        Self { at: timestamp::exact(*at), outcome, milliseconds: *milliseconds }
    }
}

impl Delivery {
    /// The same delivery. If it is being attempted, it is queued again.
    pub(crate) fn landed(self: &Arc<Self>) -> Arc<Self> {
        match self.state {
            DeliveryState::InFlight { due, .. } => {
                let state = DeliveryState::Queued { due };
                Arc::new(Self { state, ..Self::clone(self) })
            }
            DeliveryState::Queued { .. }
            | DeliveryState::Delivered
            | DeliveryState::Failed
            | DeliveryState::Discarded => Arc::clone(self),
        }
    }

    /// The same delivery as the next process finds it. An attempt that was in flight is made again, so its receiver
    /// may get it twice: the record of the attempt says so.
    pub(crate) fn resumed(mut self) -> Self {
        if let DeliveryState::InFlight { due, .. } = self.state {
            self.state = DeliveryState::Queued { due };
            self.attempts.push(AttemptRecord {
                at: due,
                outcome: AttemptOutcome::Error(INTERRUPTED.to_owned()),
                milliseconds: None,
            });
        }
        self
    }

    /// The JSON on the control plane.
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
            forged: self.is_forged,
        }
    }
}

/// The content of a notification about a request.
pub(crate) struct WebhookEvent<'a> {
    pub(crate) kind: &'a str,
    pub(crate) legal_request_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) status: &'a str,
    pub(crate) occurred_at: String,
}

/// The body: `{event, data: {request_id, …}}`, with the members that the answer `delivery_payload`
/// names.
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
