//! A delivery of an event to a webhook (§6), with its attempts.

use std::sync::Arc;

use jiff::Timestamp;
use moot_fixtures::journal::DeliveryState;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// Whether a drill replaced the credential of the webhook by a wrong one.
    #[serde(default)]
    pub(crate) is_forged: bool,
    pub(crate) body: String,
    #[serde(rename = "state")]
    pub(crate) progress: DeliveryProgress,
    /// The attempts so far, the oldest first.
    pub(crate) attempts: Vec<AttemptRecord>,
    /// The number of attempts since it was last queued. The delivery fails when it reaches the number of retries.
    pub(crate) tries: usize,
}

/// The state of a delivery, with its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryProgress {
    /// Waits for its next attempt.
    Queued {
        /// When the attempt is due.
        due: Timestamp,
    },
    /// An attempt is in flight. The control plane shows it as queued.
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
    pub(crate) outcome: AttemptResult,
    /// Real time until the response of the receiver, or until the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) milliseconds: Option<u64>,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptResult {
    /// The receiver answered with this HTTP status; 2xx is success.
    Status(u16),
    /// It did not answer, for this reason.
    #[serde(rename = "error")]
    NoResponse(String),
}

impl DeliveryProgress {
    /// The state without its times.
    pub(crate) const fn state(self) -> DeliveryState {
        match self {
            Self::Queued { .. } | Self::InFlight { .. } => DeliveryState::Queued,
            Self::Delivered => DeliveryState::Delivered,
            Self::Failed => DeliveryState::Failed,
            Self::Discarded => DeliveryState::Discarded,
        }
    }

    /// When the next attempt is due; `None` unless it is queued.
    pub(crate) const fn due(self) -> Option<Timestamp> {
        match self {
            Self::Queued { due } => Some(due),
            Self::InFlight { .. } | Self::Delivered | Self::Failed | Self::Discarded => None,
        }
    }

    /// Whether an attempt is due later or in flight.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Queued { .. } | Self::InFlight { .. })
    }
}

impl AttemptRecord {
    fn json(&self) -> Value {
        let mut json = json!({ "at": self.at });
        match &self.outcome {
            AttemptResult::Status(status) => json["status"] = json!(status),
            AttemptResult::NoResponse(reason) => json["error"] = json!(reason),
        }
        if let Some(milliseconds) = self.milliseconds {
            json["milliseconds"] = json!(milliseconds);
        }
        json
    }
}

impl Delivery {
    /// This delivery, queued again if it is in flight.
    pub(crate) fn requeued(self: &Arc<Self>) -> Arc<Self> {
        let DeliveryProgress::InFlight { due, .. } = self.progress else { return Arc::clone(self) };
        Arc::new(Self { progress: DeliveryProgress::Queued { due }, ..Self::clone(self) })
    }

    /// Continues after a restart. An attempt that was in flight is made again. Its receiver may get it twice, so
    /// the attempt is recorded with [`INTERRUPTED`].
    pub(crate) fn resume(&mut self) {
        if let DeliveryProgress::InFlight { due, .. } = self.progress {
            self.progress = DeliveryProgress::Queued { due };
            self.attempts.push(AttemptRecord {
                at: due,
                outcome: AttemptResult::NoResponse(INTERRUPTED.to_owned()),
                milliseconds: None,
            });
        }
    }

    /// The JSON on the control plane.
    pub(crate) fn json(&self) -> Value {
        let mut json = json!({
            "id": self.id,
            "webhook_id": self.webhook_id,
            "event": self.event,
            "legal_request_id": self.legal_request_id,
            "state": self.progress.state(),
            "attempts": self.attempts.iter().map(AttemptRecord::json).collect::<Vec<_>>(),
            "next_attempt_at": self.progress.due(),
        });
        if self.is_forged {
            json["forged"] = json!(true);
        }
        json
    }
}
