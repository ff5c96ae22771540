//! What a target allows: consents, tokens, other companies.

use std::collections::BTreeSet;

use crate::scenario::model::NEEDS;

/// The needs of scenarios that a target meets.
#[derive(Debug, Clone, Default)]
pub(super) struct Means(BTreeSet<&'static str>);

impl Means {
    /// The needs for which `is_met` holds.
    pub(super) fn of(is_met: impl Fn(&str) -> bool) -> Self {
        Self(NEEDS.into_iter().filter(|need| is_met(need)).collect())
    }

    /// The same for a target that must not be written to.
    pub(super) fn without_writing(mut self) -> Self {
        self.0.retain(|need| !["write", "delete"].contains(need));
        self
    }

    /// Whether all of these needs are met.
    pub(super) fn meet(&self, needs: &[String]) -> bool {
        needs.iter().all(|need| self.0.contains(need.as_str()))
    }
}
