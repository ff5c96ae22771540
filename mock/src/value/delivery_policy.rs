//! How a world delivers (§6), as the control plane sets it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::value::key::SeedKey;

/// Whether and how deliveries are attempted. All but the pause is about events that occur from now
/// on. Shape: `{"paused", "delay_seconds", "reorder_seconds", "duplicates", "event", "forged"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryPolicy {
    /// Whether no attempt begins; what falls due meanwhile is attempted once it no longer is.
    #[serde(rename = "paused")]
    pub is_paused: bool,
    /// A delivery is first attempted so long after its event.
    pub delay_seconds: u64,
    /// Each comes up to so much later still, by a draw from the seed; one of an odd number always
    /// later than its neighbours of an even one, so that of three at once the order differs.
    pub reorder_seconds: u64,
    /// So many more deliveries of each event.
    pub duplicates: u32,
    /// What the payload names the event, whatever happened.
    pub event: Option<String>,
    /// Whether each event comes twice more, first without a credential and then with a wrong one, to webhooks that
    /// have one.
    #[serde(rename = "forged")]
    pub is_forged: bool,
}

/// A change of a policy; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PolicyUpdate {
    /// `true`: no attempt begins until it is `false` again
    #[serde(rename = "paused")]
    pub is_paused: Option<bool>,
    /// first attempted so long after the event
    pub delay_seconds: Option<u64>,
    /// each comes up to so much later still, in another order; 0: in order
    pub reorder_seconds: Option<u64>,
    /// how many more deliveries of each event; 10 at most
    pub duplicates: Option<u32>,
    /// what the payload names the event; `null`: what happened
    #[serde(default, deserialize_with = "present")]
    pub event: Option<Option<String>>,
    /// `true`: each event comes twice more, without a credential and with a wrong one
    #[serde(rename = "forged")]
    pub is_forged: Option<bool>,
}

/// Tells `null` from a member that is absent.
fn present<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(reader).map(Some)
}

impl DeliveryPolicy {
    /// The policy with what is set.
    pub(crate) fn updated(&self, update: PolicyUpdate) -> Self {
        let PolicyUpdate {
            is_paused,
            delay_seconds,
            reorder_seconds,
            duplicates,
            event,
            is_forged,
        } = update;
        Self {
            is_paused: is_paused.unwrap_or(self.is_paused),
            delay_seconds: delay_seconds.unwrap_or(self.delay_seconds),
            reorder_seconds: reorder_seconds.unwrap_or(self.reorder_seconds),
            duplicates: duplicates.unwrap_or(self.duplicates),
            event: event.unwrap_or_else(|| self.event.clone()),
            is_forged: is_forged.unwrap_or(self.is_forged),
        }
    }

    /// Seconds from an event to the first attempt of its delivery of this number, in a world of this
    /// seed.
    pub(crate) fn wait_seconds(&self, seed: u64, delivery: u64) -> u64 {
        self.delay_seconds.saturating_add(self.later_seconds(seed, delivery))
    }

    /// Even numbers draw from the first half of the span, odd ones from the second.
    fn later_seconds(&self, seed: u64, delivery: u64) -> u64 {
        if self.reorder_seconds == 0 {
            return 0;
        }
        let drawn = SeedKey::derive(seed, "delivery order").scramble(delivery);
        let second_half = self.reorder_seconds.div_ceil(2);
        if delivery.is_multiple_of(2) {
            drawn % second_half
        } else {
            second_half + drawn % (self.reorder_seconds - second_half + 1)
        }
    }
}
