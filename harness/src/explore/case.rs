//! A case: a sequence of acts, and the scenario that it is.
//!
//! What is walked, what is made smaller and what is saved is the same text, read by the same reader:
//! a saved case reproduces because it never was anything else than a scenario.

use std::sync::Arc;

use serde_json::{Value, json};

use super::act::Act;
use super::{steps, yaml};
use crate::scenario::load;
use crate::scenario::model::{NEEDS, ScenarioFile};
use crate::scenario::validate::IdCheck;

/// A sequence of acts, with its number in the draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// From 1.
    pub number: u64,
    /// In order.
    pub acts: Vec<Act>,
}

impl Case {
    /// The id of its scenario: `case-17`.
    pub fn id(&self) -> String {
        format!("case-{}", self.number)
    }

    fn scenario(&self) -> Value {
        let asked: Vec<&str> = self.acts.iter().flat_map(Act::needs).collect();
        let needs: Vec<&str> = NEEDS.into_iter().filter(|need| asked.contains(need)).collect();
        let acts = self.acts.iter().enumerate();
        let steps: Vec<Value> = acts.flat_map(|(at, act)| steps::steps(act, at)).collect();
        let mut scenario = json!({
            "id": self.id(), "title": "Drawn by moot explore", "needs": needs, "steps": steps,
        });
        if self.acts.iter().any(Act::compares) {
            scenario["confirm"] = true.into();
        }
        scenario
    }
}

/// The scenario file of these cases.
pub fn text(cases: &[Case]) -> String {
    let scenarios: Vec<Value> = cases.iter().map(Case::scenario).collect();
    yaml::text(&json!({ "section": "4", "title": "Explored", "scenarios": scenarios }))
}

/// The same, read; `stem` is the first half of the scenarios' names.
///
/// # Errors
/// What the reader says of it, which is a bug of ours.
pub fn files(stem: &str, cases: &[Case]) -> Result<Arc<Vec<ScenarioFile>>, String> {
    let source = (format!("{stem}.yaml"), Arc::from(text(cases)));
    load::suite(vec![source], IdCheck::Register).map(Arc::new).map_err(|mistakes| {
        let first = mistakes.first().map(|mistake| mistake.render(false)).unwrap_or_default();
        format!("a drawn case is no scenario, which is a bug of moot: {first}")
    })
}
