//! Filters for exchanges of the journal and for deliveries.

use std::ops::RangeInclusive;

use moot_fixtures::contract::Operation;
use moot_fixtures::journal::DeliveryState;
use moot_fixtures::nearest::{ending, nearest};
use moot_fixtures::pattern;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use strum::VariantNames;

use super::text::optional_text;
use crate::value::limits::PATH_PATTERN_BYTES_MAX;
use crate::world::World;
use crate::world::journal::JournalEntry;
use crate::world::state::resource::Delivery;

/// A filter for exchanges. An absent member matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ExchangeFilter {
    /// a call of this operation
    #[serde(default, deserialize_with = "operation")]
    #[schemars(with = "Option<String>")]
    pub operation: Option<Operation>,
    /// a call with this method
    pub method: Option<String>,
    /// a call with this path below the base address; `*` stands for any characters
    #[serde(default, deserialize_with = "path_pattern")]
    pub path: Option<String>,
    /// with a response of this status, such as `422`, or `4xx`
    #[serde(default, deserialize_with = "status")]
    #[schemars(with = "Option<String>")]
    pub status: Option<RangeInclusive<u16>>,
    /// with a token of this client id
    pub application: Option<String>,
    /// a call that queued the delivery with this id
    pub delivery: Option<u64>,
    /// later than the call of this serial
    pub since: Option<u64>,
}

/// A filter for deliveries. An absent member matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct DeliveryFilter {
    /// `queued`, `delivered`, `failed` or `discarded`
    #[serde(default, deserialize_with = "delivery_state")]
    #[schemars(with = "Option<String>")]
    pub state: Option<DeliveryState>,
    /// of this event, such as `execution_complete`
    pub event: Option<String>,
    /// to this webhook
    pub webhook_id: Option<String>,
    /// about this legal request
    pub legal_request_id: Option<String>,
}

impl DeliveryFilter {
    pub(crate) fn matches(&self, delivery: &Delivery) -> bool {
        let is = |wanted: &Option<String>, value: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        };
        self.state.is_none_or(|wanted| wanted == delivery.progress.state())
            && is(&self.event, &delivery.event)
            && is(&self.webhook_id, &delivery.webhook_id)
            && is(&self.legal_request_id, &delivery.legal_request_id)
    }
}

impl ExchangeFilter {
    pub(crate) fn matches(&self, world: &World, exchange: &JournalEntry) -> bool {
        self.differences(world, exchange).is_empty()
    }

    /// The members that a call does not match.
    pub(crate) fn differences(&self, world: &World, exchange: &JournalEntry) -> Vec<&'static str> {
        let has_caller = |wanted: &String| {
            let caller =
                exchange.application_index.and_then(|at| world.seed_data().application(at));
            caller.is_some_and(|caller| caller.client_id == *wanted)
        };
        let has_method = |wanted: &String| wanted.eq_ignore_ascii_case(&exchange.method);
        let is_of = [
            ("operation", self.operation.is_none_or(|wanted| exchange.operation == Some(wanted))),
            ("method", self.method.as_ref().is_none_or(has_method)),
            ("path", self.path.as_ref().is_none_or(|path| pattern::matches(path, &exchange.path))),
            ("status", self.status.as_ref().is_none_or(|wanted| wanted.contains(&exchange.status))),
            ("application", self.application.as_ref().is_none_or(has_caller)),
            ("delivery", self.delivery.is_none_or(|id| exchange.deliveries.contains(&id))),
            ("since", self.since.is_none_or(|serial| exchange.serial > serial)),
        ];
        is_of.into_iter().filter_map(|(name, is_of)| (!is_of).then_some(name)).collect()
    }
}

pub(super) fn operation<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<Operation>, D::Error> {
    optional_text(reader, |text| {
        Operation::from_text(text).ok_or_else(|| {
            let hint = ending(nearest(text, Operation::ALL.map(Operation::as_str)));
            format!("there is no operation `{text}`{hint}")
        })
    })
}

pub(super) fn path_pattern<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<String>, D::Error> {
    optional_text(reader, |text| match is_path_pattern(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("`path` is a pattern such as /v1/requests/*, not `{text}`")),
    })
}

/// Whether a text can be a pattern of paths: it begins with `/` or `*`, and is not too long.
pub(crate) fn is_path_pattern(text: &str) -> bool {
    text.starts_with(['/', '*']) && text.len() <= PATH_PATTERN_BYTES_MAX
}

fn delivery_state<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<DeliveryState>, D::Error> {
    optional_text(reader, |text| {
        text.parse().map_err(|_| {
            let states = DeliveryState::VARIANTS;
            let hint = ending(nearest(text, states.iter().copied()));
            format!("`state` is {}, not `{text}`{hint}", states.join(", "))
        })
    })
}

/// Reads a status, or all statuses with a first digit.
fn status<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<RangeInclusive<u16>>, D::Error> {
    optional_text(reader, |text| {
        let found = match text.strip_suffix("xx") {
            Some(digit) => number(digit, 1..=5).map(|class| class * 100..=class * 100 + 99),
            None => number(text, 100..=599).map(|status| status..=status),
        };
        found.ok_or_else(|| format!("`status` is a status such as 422 or 4xx, not `{text}`"))
    })
}

fn number(digits: &str, allowed: RangeInclusive<u16>) -> Option<u16> {
    digits.parse().ok().filter(|number| allowed.contains(number))
}

#[cfg(test)]
mod tests {
    use super::is_path_pattern;

    #[test]
    fn a_pattern_begins_with_a_slash_or_a_star() {
        for (text, is_pattern) in
            [("/v1/requests", true), ("*activity", true), ("v1/requests", false), ("", false)]
        {
            assert_eq!(is_path_pattern(text), is_pattern, "{text}");
        }
    }
}
