//! How the call that the core answers differs from the one that was sent.

use serde::Deserialize;

/// One difference between two calls.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallEdit {
    /// A query parameter has this value; without a value, it is left out.
    Parameter(QueryParameter),
    /// The path names this id.
    Id(String),
    /// The caller belongs to the company with this index in the seed world.
    Company(u32),
    /// A part of the multipart body is left out.
    WithoutPart(String),
}

/// A query parameter.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryParameter {
    pub(super) name: String,
    /// In a condition, `None` stands for any value.
    pub(super) value: Option<String>,
}

impl QueryParameter {
    /// Whether a query has the parameter.
    pub(super) fn is_in(&self, query: Option<&str>) -> bool {
        form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(|(name, value)| {
            name == self.name && self.value.as_ref().is_none_or(|wanted| value == *wanted)
        })
    }
}
