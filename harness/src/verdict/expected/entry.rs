//! Known failures, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use moot_fixtures::pattern::matches;
use moot_fixtures::yaml::YamlSpan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::scenario::ScenarioName;
use crate::verdict::Verdict;

/// The known failures of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedFailures {
    /// The path of the file. Empty without a file.
    #[serde(skip)]
    pub file: PathBuf,
    /// In the order of the file.
    pub entries: Vec<ExpectedEntry>,
}

/// One entry of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Entry")]
#[serde(deny_unknown_fields)]
pub struct ExpectedEntry {
    /// A scenario `FILE/ID` (with `*` for any text), a requirement, or `FILE/ID#REQUIREMENT`.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    pub id: ExpectedId,
    /// The verdict that is expected.
    pub outcome: ExpectedOutcome,
    /// The reason, for the readers of the report.
    #[schemars(regex(pattern = r"\S"))]
    pub reason: String,
    /// The last day (UTC) on which it is expected: `2027-01-31`. Another name: `expiry`.
    #[serde(default, alias = "expiry")]
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    pub expires: Option<String>,
    /// The condition under which the entry applies. All its parts must hold.
    pub condition: Option<Condition>,
    /// The place of the `id`.
    #[serde(skip)]
    pub place: Option<YamlSpan>,
}

/// The id of a known failure: a scenario `FILE/ID` (with `*`), a requirement, or `FILE/ID#REQUIREMENT`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ExpectedId {
    /// The scenarios that match a pattern, with all their checks.
    Scenarios(String),
    /// A requirement, in all scenarios.
    Requirement(String),
    /// A requirement, in the scenarios that match a pattern.
    RequirementIn { scenarios: String, requirement: String },
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

/// The key `condition` of an entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
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

impl ExpectedId {
    /// The pattern of the scenarios. Without one, all scenarios are meant.
    pub fn scenarios(&self) -> Option<&str> {
        match self {
            Self::Scenarios(scenarios) | Self::RequirementIn { scenarios, .. } => Some(scenarios),
            Self::Requirement(_) => None,
        }
    }

    /// The requirement. Without one, all checks are meant.
    pub fn requirement(&self) -> Option<&str> {
        match self {
            Self::Requirement(requirement) | Self::RequirementIn { requirement, .. } => {
                Some(requirement)
            }
            Self::Scenarios(_) => None,
        }
    }

    /// Whether it is about this scenario, with or without its row.
    pub fn names_scenario(&self, name: &ScenarioName) -> bool {
        self.scenarios().is_none_or(|pattern| {
            matches(pattern, &name.to_string()) || matches(pattern, &name.without_row().to_string())
        })
    }
}

impl fmt::Display for ExpectedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenarios(id) | Self::Requirement(id) => f.write_str(id),
            Self::RequirementIn { scenarios, requirement } => {
                write!(f, "{scenarios}#{requirement}")
            }
        }
    }
}

impl From<String> for ExpectedId {
    /// Reads the id of an entry. The name of a file and the label of a row may have a `#` too. Then a `/` or a `]`
    /// follows, and no requirement has one of these.
    fn from(text: String) -> Self {
        match text.rsplit_once('#').filter(|(_, id)| !id.contains(['/', ']'])) {
            Some((scenarios, requirement)) => Self::RequirementIn {
                scenarios: scenarios.to_owned(),
                requirement: requirement.to_owned(),
            },
            None if text.contains(['/', '*']) => Self::Scenarios(text),
            None => Self::Requirement(text),
        }
    }
}

impl From<ExpectedId> for String {
    fn from(id: ExpectedId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::ExpectedId;
    use crate::scenario::ScenarioName;

    #[test]
    fn an_id_names_scenarios_or_a_requirement_or_both() {
        for (id, scenarios, requirement) in [
            ("a.status-200", None, Some("a.status-200")),
            ("07_errors/walk", Some("07_errors/walk"), None),
            ("*walk", Some("*walk"), None),
            ("07_errors/walk#a.status-200", Some("07_errors/walk"), Some("a.status-200")),
            ("*#a.status-200", Some("*"), Some("a.status-200")),
            ("07_errors/walk[#1]", Some("07_errors/walk[#1]"), None),
            ("my #1/walk", Some("my #1/walk"), None),
            ("my #1/walk#a.status-200", Some("my #1/walk"), Some("a.status-200")),
        ] {
            let read = ExpectedId::from(id.to_owned());
            assert_eq!((read.scenarios(), read.requirement()), (scenarios, requirement), "{id}");
            assert_eq!(read.to_string(), id);
        }
    }

    #[test]
    fn a_pattern_names_a_scenario_with_or_without_its_row() {
        let row = ScenarioName::new("my[1]", "walk").with_row("a");
        for (id, expected) in [
            ("my[1]/walk", true),
            ("my[1]/walk[a]", true),
            ("my[1]/walk[b]", false),
            ("*walk", true),
            ("my/*", false),
            ("a.status-200", true),
        ] {
            assert_eq!(ExpectedId::from(id.to_owned()).names_scenario(&row), expected, "{id}");
        }
    }
}
