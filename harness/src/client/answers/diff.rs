//! Two sets of answers side by side.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// One question that two sets answer differently, or only one of them answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The question.
    pub question: String,
    /// The answer of the first; `None` where it has none.
    pub a: Option<Value>,
    /// The answer of the second.
    pub b: Option<Value>,
}

impl Difference {
    /// Whether both answer: one that was not seen is not another answer.
    pub fn is_change(&self) -> bool {
        self.a.is_some() && self.b.is_some()
    }
}

/// What differs, by question.
pub fn diff(first: &BTreeMap<String, Value>, second: &BTreeMap<String, Value>) -> Vec<Difference> {
    let mut ids: Vec<&String> = first.keys().chain(second.keys()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .filter(|id| first.get(*id) != second.get(*id))
        .map(|id| Difference {
            question: id.clone(),
            a: first.get(id).cloned(),
            b: second.get(id).cloned(),
        })
        .collect()
}
