//! Which exchanges of the journal an action is about.

use moot_fixtures::contract::Operation;
use moot_fixtures::nearest::{ending, nearest};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::text::optional_text;
use crate::journal::JournalEntry;

/// Which exchanges; what is absent matches any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ExchangeFilter {
    /// a call of this operation
    #[serde(default, deserialize_with = "operation")]
    #[schemars(with = "Option<String>")]
    pub operation: Option<Operation>,
    /// answered with this status, such as `422`, or `4xx`
    #[serde(default, deserialize_with = "status")]
    #[schemars(with = "Option<String>")]
    pub status: Option<StatusFilter>,
    /// with a token of this client id
    pub application: Option<String>,
    /// later than the call of this serial
    pub since: Option<u64>,
}

/// Which statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// This one.
    Exactly(u16),
    /// All of one hundred, by its first digit.
    Class(u16),
}

impl ExchangeFilter {
    pub(crate) fn matches(&self, exchange: &JournalEntry) -> bool {
        self.operation.is_none_or(|wanted| exchange.operation == Some(wanted))
            && self.since.is_none_or(|serial| exchange.serial > serial)
            && (self.application.is_none() || self.application == exchange.application)
            && self.status.is_none_or(|wanted| match wanted {
                StatusFilter::Exactly(status) => exchange.status == status,
                StatusFilter::Class(class) => exchange.status / 100 == class,
            })
    }
}

/// Reads the name of an operation.
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

fn status<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<StatusFilter>, D::Error> {
    optional_text(reader, |text| {
        let found = match text.strip_suffix("xx") {
            Some(digit) => number(digit, 1..=5).map(StatusFilter::Class),
            None => number(text, 100..=599).map(StatusFilter::Exactly),
        };
        found.ok_or_else(|| format!("`status` is such as 422 or 4xx, not `{text}`"))
    })
}

fn number(digits: &str, allowed: std::ops::RangeInclusive<u16>) -> Option<u16> {
    digits.parse().ok().filter(|number| allowed.contains(number))
}
