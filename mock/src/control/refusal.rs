//! Refusals of the control plane.

use serde_json::Value;

/// A refused action. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status: 4xx, or 500 for a fault of the mock.
    pub status: u16,
    /// `type` of the problem.
    pub problem: &'static str,
    /// The mistake and the remedy.
    pub detail: String,
    /// Additional members of the problem.
    pub members: Vec<(&'static str, Value)>,
}

impl Refusal {
    pub(crate) fn new(status: u16, problem: &'static str, detail: impl Into<String>) -> Self {
        Self { status, problem, detail: detail.into(), members: Vec::new() }
    }

    /// 404: it does not exist.
    pub(crate) fn unknown(detail: impl Into<String>) -> Self {
        Self::new(404, "not_found", detail)
    }

    /// 409: it exists, but its state forbids the action.
    pub(crate) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(409, "conflict", detail)
    }

    /// 422: an invalid value.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(422, "invalid_value", detail)
    }
}
