//! Compares two sets of answers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

/// A question that two sets answer differently, or that only one of them answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The question.
    pub question: String,
    /// The answer of the first set.
    pub a: Option<Value>,
    /// The answer of the second set.
    pub b: Option<Value>,
}

impl Difference {
    /// Whether both sets answer. A missing answer is no change.
    pub fn is_change(&self) -> bool {
        self.a.is_some() && self.b.is_some()
    }
}

/// The differences, by question.
pub fn diff(first: &BTreeMap<String, Value>, second: &BTreeMap<String, Value>) -> Vec<Difference> {
    let ids: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    ids.into_iter()
        .filter(|id| first.get(*id) != second.get(*id))
        .map(|id| Difference {
            question: id.clone(),
            a: first.get(id).cloned(),
            b: second.get(id).cloned(),
        })
        .collect()
}
