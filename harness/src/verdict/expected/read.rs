//! Reading a file of known failures.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use jiff::civil::Date;
use moot_fixtures::nearest::{ending, hint_or_all};
use moot_fixtures::yaml::YamlSpan;
use moot_fixtures::{DataError, questions};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::entry::{Condition, Expected, ExpectedEntry, ExpectedOutcome};
use crate::scenario::model::NEEDS;
use crate::scenario::yaml_file;

/// Reads a file of known failures.
///
/// # Errors
/// The first mistake, with its place.
pub fn read(path: &Path) -> Result<Expected, DataError> {
    from_text(&yaml_file::text(path, "file of expected failures")?, path)
}

/// Reads the text of such a file; `path` names it.
///
/// # Errors
/// As [`read`].
pub fn from_text(text: &str, path: &Path) -> Result<Expected, DataError> {
    let file = path.display().to_string();
    let shape: Shape = yaml_file::read(&file, text)?;
    let entries = shape.0.into_iter().map(|entry| entry.checked(&file));
    Ok(Expected { file: path.to_owned(), entries: entries.collect::<Result<_, _>>()? })
}

/// A list, or a list under `expected`.
struct Shape(Vec<EntryShape>);

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of `{id, outcome, reason}`, or `expected:` with such a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Shape, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Shape)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            expected: Vec<EntryShape>,
        }
        Whole::deserialize(MapAccessDeserializer::new(map)).map(|whole| Shape(whole.expected))
    }
}

/// One entry as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Entry")]
#[serde(deny_unknown_fields)]
pub(super) struct EntryShape {
    /// A scenario `FILE/ID` (with `*` for any text), a requirement, or `FILE/ID#REQUIREMENT`.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    id: Spanned<String>,
    /// The verdict that is expected.
    outcome: ExpectedOutcome,
    /// Why it is known, for the reader of the report.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    reason: Spanned<String>,
    /// The last day (UTC) on which it is expected: `2027-01-31`. Another name: `expiry`.
    #[serde(default, alias = "expiry")]
    #[schemars(with = "Option<String>", regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    expires: Option<Spanned<String>>,
    /// When the entry applies. All of it must hold.
    #[serde(default)]
    condition: Option<ConditionShape>,
}

/// `condition` as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Condition")]
#[serde(deny_unknown_fields)]
struct ConditionShape {
    /// Answers that the run must have seen, by open question.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Value>")]
    answer: BTreeMap<String, Spanned<Value>>,
    /// Needs that the target must meet.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    needs: Vec<Spanned<String>>,
    /// Needs that the target must not meet.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    lacks: Vec<Spanned<String>>,
}

impl EntryShape {
    fn checked(self, file: &str) -> Result<ExpectedEntry, DataError> {
        if self.id.value.trim().is_empty() {
            return Err(mistake(file, &self.id, "`id` is empty"));
        }
        if self.reason.value.trim().is_empty() {
            let message = "`reason` is empty: say why, for whoever reads the report".to_owned();
            return Err(mistake(file, &self.reason, message));
        }
        let expires = self.expires.map(|text| date(file, &text)).transpose()?;
        let condition = self.condition.map(|shape| shape.checked(file)).transpose()?;
        let span = YamlSpan::from(self.id.referenced);
        Ok(ExpectedEntry {
            place: (span.line, span.column),
            id: self.id.value,
            outcome: self.outcome,
            reason: self.reason.value,
            expires,
            condition,
        })
    }
}

impl ConditionShape {
    fn checked(self, file: &str) -> Result<Condition, DataError> {
        for (question, answer) in &self.answer {
            if questions::get(question).is_none() {
                let near = ending(questions::nearest(question));
                let message = format!("there is no open question `{question}`{near}");
                return Err(mistake(file, answer, message));
            }
        }
        for need in self.needs.iter().chain(&self.lacks) {
            if !NEEDS.contains(&need.value.as_str()) {
                let near = hint_or_all(&need.value, &NEEDS);
                return Err(mistake(
                    file,
                    need,
                    format!("there is no need `{}`; {near}", need.value),
                ));
            }
        }
        let values = |list: Vec<Spanned<String>>| list.into_iter().map(|one| one.value).collect();
        Ok(Condition {
            answer: self.answer.into_iter().map(|(id, answer)| (id, answer.value)).collect(),
            needs: values(self.needs),
            lacks: values(self.lacks),
        })
    }
}

fn mistake<T>(file: &str, value: &Spanned<T>, message: impl Into<String>) -> DataError {
    DataError::new(file, message).at(Some(value.referenced.into()))
}

fn date(file: &str, text: &Spanned<String>) -> Result<Date, DataError> {
    // `Date` alone would take a time too, and leave it out.
    let parsed = text.value.parse::<Date>().ok().filter(|date| date.to_string() == text.value);
    parsed.ok_or_else(|| {
        mistake(file, text, format!("`{}` is not a day, such as `2027-01-31`", text.value))
    })
}
