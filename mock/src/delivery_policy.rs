//! How a world delivers (§6), as the control plane sets it.

use serde::{Deserialize, Serialize};

/// Whether and how queued deliveries are attempted. Shape: `{"paused"}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryPolicy {
    /// Whether no attempt begins; what falls due meanwhile is attempted once it no longer is.
    #[serde(rename = "paused")]
    pub is_paused: bool,
}
