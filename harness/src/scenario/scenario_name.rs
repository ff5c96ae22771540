//! The name of a scenario, or of one row of it.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a scenario, or of one row of it: `04_05_create_legal_request/from-schema[row]`.
///
/// The text can be read back, because the stem of a file has no `/`, and the id of a scenario has no `[`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ScenarioName {
    /// The stem of the scenario file. Empty for requests that no scenario sends.
    pub stem: String,
    /// The id of the scenario in its file.
    pub id: String,
    /// The label of the row, with secrets masked.
    pub row: Option<String>,
}

impl ScenarioName {
    /// The name of a whole scenario.
    pub fn new(stem: impl Into<String>, id: impl Into<String>) -> Self {
        Self { stem: stem.into(), id: id.into(), row: None }
    }

    /// The name of one row.
    pub fn with_row(&self, row: impl Into<String>) -> Self {
        Self { row: Some(row.into()), ..self.clone() }
    }

    /// The name of the whole scenario.
    pub fn without_row(&self) -> Self {
        Self::new(&self.stem, &self.id)
    }

    /// Whether both are rows of one scenario, or the scenario itself.
    pub fn is_same_scenario(&self, other: &Self) -> bool {
        (&self.stem, &self.id) == (&other.stem, &other.id)
    }

    /// The name in its file: `from-schema[row]`.
    pub fn in_file(&self) -> String {
        match &self.row {
            Some(row) => format!("{}[{row}]", self.id),
            None => self.id.clone(),
        }
    }

    /// The name with each of its parts rewritten.
    pub fn map(&self, map: impl Fn(&str) -> String) -> Self {
        Self { stem: map(&self.stem), id: map(&self.id), row: self.row.as_deref().map(map) }
    }
}

impl fmt::Display for ScenarioName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.stem.is_empty() {
            write!(f, "{}/", self.stem)?;
        }
        f.write_str(&self.in_file())
    }
}

/// The order of the texts.
impl Ord for ScenarioName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl PartialOrd for ScenarioName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<&str> for ScenarioName {
    /// Reads the text of a name.
    fn from(text: &str) -> Self {
        let (stem, rest) =
            text.split_once('/').filter(|(stem, _)| !stem.is_empty()).unwrap_or(("", text));
        let row = rest.strip_suffix(']').and_then(|rest| rest.split_once('['));
        match row {
            Some((id, row)) => Self::new(stem, id).with_row(row),
            None => Self::new(stem, rest),
        }
    }
}

impl From<String> for ScenarioName {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ScenarioName> for String {
    fn from(name: ScenarioName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ScenarioName;

    #[test]
    fn only_brackets_after_the_id_are_a_row() {
        let name = |stem, id| ScenarioName::new(stem, id);
        for (text, expected) in [
            ("07_errors/walk", name("07_errors", "walk")),
            ("07_errors/walk[a]", name("07_errors", "walk").with_row("a")),
            ("07_errors/walk[]", name("07_errors", "walk").with_row("")),
            ("07_errors/walk[a/b[c]#2]", name("07_errors", "walk").with_row("a/b[c]#2")),
            ("my[1] #2/walk", name("my[1] #2", "walk")),
            ("my[1]/walk[x]", name("my[1]", "walk").with_row("x")),
            ("the check of the target file", name("", "the check of the target file")),
            ("", name("", "")),
        ] {
            assert_eq!(ScenarioName::from(text), expected, "{text}");
            assert_eq!(expected.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_name_is_read_back_from_its_text(
            stem in "[^/]{1,9}", id in "[a-z0-9-]{1,9}", row in proptest::option::of(".{0,9}"),
        ) {
            let name = ScenarioName { row, ..ScenarioName::new(stem, id) };
            prop_assert_eq!(ScenarioName::from(name.to_string()), name);
        }

        #[test]
        fn every_text_stays_the_same(text in "[a/\\[\\]# 2]{0,9}") {
            prop_assert_eq!(ScenarioName::from(text.as_str()).to_string(), text);
        }
    }
}
