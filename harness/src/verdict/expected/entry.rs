//! Known failures, as data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scenario::plan::{like, without_row};
use crate::verdict::Verdict;

/// The known failures of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The path of the file. Empty without a file.
    #[serde(skip)]
    pub file: PathBuf,
    /// In the order of the file.
    pub entries: Vec<ExpectedEntry>,
}

/// One known failure.
///
/// ```yaml
/// - { id: list-webhooks.status-200, outcome: fail, reason: OPS-12, expires: 2027-01-31 }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedEntry {
    /// A scenario `FILE/ID` (with `*`), a requirement, or `FILE/ID#REQUIREMENT`.
    pub id: String,
    pub outcome: ExpectedOutcome,
    /// For people. Not empty.
    pub reason: String,
    /// The last day on which the failure is expected.
    pub expires: Option<Date>,
    /// Without a condition, the entry always applies.
    pub condition: Option<Condition>,
    /// Line and column of the `id`, from 1.
    pub place: (u32, u32),
}

/// The verdict that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExpectedOutcome {
    /// A violation.
    #[serde(rename = "fail")]
    Fail,
    /// A warning.
    #[serde(rename = "warn")]
    Warn,
    /// It cannot be judged.
    #[serde(rename = "not run", alias = "not_run")]
    NotRun,
}

/// The condition under which a known failure applies. All parts must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Answers that the run must have seen, by open question.
    pub answer: BTreeMap<String, Value>,
    /// Needs that the target must meet.
    pub needs: Vec<String>,
    /// Needs that the target must not meet.
    pub lacks: Vec<String>,
}

impl ExpectedOutcome {
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Fail => Verdict::Fail,
            Self::Warn => Verdict::Warn,
            Self::NotRun => Verdict::NotRun,
        }
    }
}

impl ExpectedEntry {
    /// The pattern of scenarios and the requirement in the id. There is at least one of them.
    pub fn parts(&self) -> (Option<&str>, Option<&str>) {
        match self.id.split_once('#') {
            Some((scenario, requirement)) => (Some(scenario), Some(requirement)),
            None if self.id.contains('/') || self.id.contains('*') => (Some(&self.id), None),
            None => (None, Some(&self.id)),
        }
    }

    /// Whether the entry is about this scenario, with or without the brackets of a row.
    pub fn names_scenario(&self, name: &str) -> bool {
        let pattern = self.parts().0;
        pattern.is_none_or(|pattern| like(name, pattern) || like(without_row(name), pattern))
    }

    /// Whether the entry is about whole scenarios, not about a requirement.
    pub fn is_about_scenarios(&self) -> bool {
        self.parts().1.is_none()
    }
}
