//! The settings of the control plane for deliveries (§6).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::value::key::SeedKey;

/// Settings of deliveries. All except `paused` only apply to new events. Shape: `{"paused",
/// "delay_seconds", "reorder_seconds", "duplicates", "event", "forged"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryPolicy {
    /// Whether deliveries wait. Attempts that fall due are made after the pause.
    #[serde(rename = "paused")]
    pub is_paused: bool,
    /// Seconds from an event to the first attempt of its delivery.
    pub delay_seconds: u64,
    /// The largest additional delay of a delivery, which is drawn from the seed. A delivery with an odd
    /// number always comes after its even neighbours. So three deliveries at once change their order.
    pub reorder_seconds: u64,
    /// The number of additional deliveries of each event.
    pub duplicates: u32,
    /// The name of the event in every payload, instead of the real one.
    pub event: Option<String>,
    /// Whether webhooks with a credential get each event twice more, first without a credential and then
    /// with a wrong one.
    #[serde(rename = "forged")]
    pub is_forged: bool,
}

/// A change of a policy. Absent members keep their value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PolicyUpdate {
    /// `true`: deliveries wait until it is `false` again
    #[serde(rename = "paused")]
    pub is_paused: Option<bool>,
    /// seconds from the event to the first attempt
    pub delay_seconds: Option<u64>,
    /// the largest additional delay in seconds, which changes the order; 0: in order
    pub reorder_seconds: Option<u64>,
    /// the number of additional deliveries of each event; at most 10
    pub duplicates: Option<u32>,
    /// the name of the event in the payload; `null`: its real name
    #[serde(default, deserialize_with = "present")]
    pub event: Option<Option<String>>,
    /// `true`: each event is delivered twice more, without a credential and with a wrong one
    #[serde(rename = "forged")]
    pub is_forged: Option<bool>,
}

/// Distinguishes `null` from an absent member.
fn present<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(reader).map(Some)
}

impl DeliveryPolicy {
    pub(crate) fn updated(&self, update: PolicyUpdate) -> Self {
        Self {
            is_paused: update.is_paused.unwrap_or(self.is_paused),
            delay_seconds: update.delay_seconds.unwrap_or(self.delay_seconds),
            reorder_seconds: update.reorder_seconds.unwrap_or(self.reorder_seconds),
            duplicates: update.duplicates.unwrap_or(self.duplicates),
            event: update.event.unwrap_or_else(|| self.event.clone()),
            is_forged: update.is_forged.unwrap_or(self.is_forged),
        }
    }

    /// Seconds from an event to the first attempt of its delivery with this number.
    pub(crate) fn wait_seconds(&self, seed: u64, delivery: u64) -> u64 {
        self.delay_seconds.saturating_add(self.later_seconds(seed, delivery))
    }

    /// The additional delay: in the first half of `reorder_seconds` for even numbers, in the second half
    /// for odd ones.
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
