//! An act: some steps of the scenario language with drawn inputs.

use serde_json::Value;

/// One act of a case. It finds what it needs itself, so that any subsequence of a case is a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// Steps of the scenario language.
    pub steps: Vec<Value>,
    /// What a scenario with this act needs of its target (words of [`crate::scenario::model::NEEDS`]).
    pub needs: &'static [String],
    /// Calls that may create an object.
    pub creations: u32,
    /// Whether it compares answers, which another client could change in between. A failure then counts
    /// only when it shows twice.
    pub compares: bool,
}
