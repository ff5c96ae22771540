//! Which exchanges of the journal are asked for.

use moot_fixtures::contract::Operation;

use super::Exchange;

/// Which exchanges are asked for; absent is any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this operation.
    pub operation: Option<Operation>,
    /// Answered with this status.
    pub status: Option<StatusFilter>,
    /// With a token of this client id.
    pub application: Option<String>,
    /// Later than the call of this number.
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

impl Filter {
    /// Whether an exchange is one of these.
    pub(crate) fn matches(&self, exchange: &Exchange) -> bool {
        self.operation.is_none_or(|wanted| exchange.operation == Some(wanted))
            && self.since.is_none_or(|serial| exchange.serial > serial)
            && (self.application.is_none() || self.application == exchange.application)
            && self.status.is_none_or(|wanted| match wanted {
                StatusFilter::Exactly(status) => exchange.status == status,
                StatusFilter::Class(class) => exchange.status / 100 == class,
            })
    }
}
