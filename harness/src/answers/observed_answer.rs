//! The answers that a run saw of one open question.

use serde_json::Value;

/// An answer seen of an open question.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedAnswer {
    /// Id of the question.
    pub question: String,
    /// The clause.
    pub section: String,
    /// Distinct answers in the order first seen, each with how often.
    pub answers: Vec<(Value, u32)>,
    /// Steps where it was seen, at most 10.
    pub seen_in: Vec<String>,
}
