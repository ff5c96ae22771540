//! The name of a step in the result of a scenario.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a step, with the rows of the loops around it: `GET /v1/requests/<id>[ab12] #2`.
///
/// Its JSON is its text. A name that is read back has the whole text as its `name`: it is only shown, not compared.
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

impl From<String> for StepName {
    fn from(text: String) -> Self {
        Self::new(text, &[])
    }
}

impl From<StepName> for String {
    fn from(name: StepName) -> Self {
        name.to_string()
    }
}
