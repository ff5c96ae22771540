//! Changes of a call before the core answers it.

use serde::Deserialize;

/// One change of a call.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CallEdit {
    /// Sets a query parameter, or removes it if there is no value.
    Parameter(QueryParameter),
    /// Replaces the id in the path.
    Id(String),
    /// Makes the caller a member of the company with this index in the seed world.
    Company(u32),
    /// Removes a part of the multipart body.
    WithoutPart(String),
    /// Cuts every part of the multipart body to this number of bytes.
    CutParts(usize),
}

/// A query parameter.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryParameter {
    pub(super) name: String,
    /// `None` stands for any value in a condition.
    pub(super) value: Option<String>,
}

impl QueryParameter {
    /// The page of a list.
    pub(super) fn page(number: u64) -> Self {
        Self { name: "page".to_owned(), value: Some(number.to_string()) }
    }

    /// Whether a query has the parameter.
    pub(super) fn is_in(&self, query: Option<&str>) -> bool {
        form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(|(name, value)| {
            name == self.name && self.value.as_ref().is_none_or(|wanted| value == *wanted)
        })
    }
}
