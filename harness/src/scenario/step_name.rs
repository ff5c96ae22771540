//! The name of a step in the result of a scenario.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a step, with the rows of the loops around it: `GET /v1/requests/<id>[ab12] #2`.
///
/// Its text is for people. A name that has brackets or a number itself cannot be told from a row or a repetition when
/// the text is read back. So results that are read back are only shown, and their steps are not compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct StepName {
    /// The name in the scenario file, which all rows and repetitions share.
    pub name: String,
    /// The labels of the rows, from the outermost loop inwards. Secrets are masked.
    pub rows: Vec<String>,
    /// Counts the steps whose names have the same text, from 1.
    pub repetition: u32,
}

impl StepName {
    /// The first step with this name and these rows.
    pub fn new(name: impl Into<String>, rows: &[String]) -> Self {
        Self { name: name.into(), rows: rows.to_vec(), repetition: 1 }
    }

    /// Whether both are the same step of a scenario file, in any row and repetition.
    pub fn is_same_step(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// The name with each of its texts rewritten.
    pub fn map(&self, map: impl Fn(&str) -> String) -> Self {
        let rows = self.rows.iter().map(|row| map(row)).collect();
        Self { name: map(&self.name), rows, repetition: self.repetition }
    }
}

impl Default for StepName {
    fn default() -> Self {
        Self::new("", &[])
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for row in &self.rows {
            write!(f, "[{row}]")?;
        }
        match self.repetition {
            1 => Ok(()),
            repetition => write!(f, " #{repetition}"),
        }
    }
}

impl From<&str> for StepName {
    /// Reads the text of a name.
    fn from(text: &str) -> Self {
        let repetition = text.rsplit_once(" #").and_then(|(before, number)| {
            let number: u32 = number.parse().ok().filter(|it| *it > 1)?;
            // `+2` and `02` are numbers, but this type does not write them.
            text.ends_with(&format!(" #{number}")).then_some((before, number))
        });
        let (text, repetition) = repetition.unwrap_or((text, 1));
        let rows = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let (name, rows) = match rows {
            Some((name, rows)) => (name, rows.split("][").map(str::to_owned).collect()),
            None => (text, Vec::new()),
        };
        Self { name: name.to_owned(), rows, repetition }
    }
}

impl From<String> for StepName {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<StepName> for String {
    fn from(name: StepName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::StepName;

    #[test]
    fn the_text_of_a_name_has_its_rows_and_its_repetition() {
        let rows = |rows: &[&str]| rows.iter().map(ToString::to_string).collect::<Vec<_>>();
        let step = |name: &str, all: &[&str], repetition| StepName {
            name: name.to_owned(),
            rows: rows(all),
            repetition,
        };
        for (text, expected) in [
            ("GET /v1/a", step("GET /v1/a", &[], 1)),
            ("GET /v1/<x>[ab12]", step("GET /v1/<x>", &["ab12"], 1)),
            ("GET /v1/<x>[a][b] #2", step("GET /v1/<x>", &["a", "b"], 2)),
            ("g #2", step("g", &[], 2)),
            ("g #1", step("g #1", &[], 1)),
            ("g #02", step("g #02", &[], 1)),
            ("g #+2", step("g #+2", &[], 1)),
            ("g[", step("g[", &[], 1)),
        ] {
            assert_eq!(StepName::from(text), expected, "{text}");
            assert_eq!(expected.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_name_without_brackets_and_number_is_read_back_from_its_text(
            name in "[^\\[\\]#]{0,9}",
            rows in proptest::collection::vec("[^\\[\\]]{0,9}", 0..3),
            repetition in 1_u32..,
        ) {
            let name = StepName { repetition, ..StepName::new(name, &rows) };
            prop_assert_eq!(StepName::from(name.to_string()), name);
        }

        #[test]
        fn every_text_stays_the_same(text in "[a/\\[\\]# 0-3]{0,9}") {
            prop_assert_eq!(StepName::from(text.as_str()).to_string(), text);
        }
    }
}
