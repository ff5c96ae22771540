//! Reads a file of known failures.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::Date;
use moot_fixtures::nearest::{ending, hint_or_all};
use moot_fixtures::yaml::{YamlNode, YamlSpan, YamlValue};
use moot_fixtures::{DataError, questions};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::entry::{Condition, Expected, ExpectedEntry, ExpectedOutcome};
use crate::scenario::model::NEEDS;
use crate::scenario::yaml_file;

/// Reads a file of known failures.
///
/// # Errors
/// The first mistake, with its place.
pub(super) fn read(path: &Path) -> Result<Expected, DataError> {
    from_text(&yaml_file::text(path, "file of expected failures")?, path)
}

/// Reads the text of such a file. `path` names it in errors.
///
/// # Errors
/// The first mistake, with its place.
pub fn from_text(text: &str, path: &Path) -> Result<Expected, DataError> {
    let file = path.display().to_string();
    let rows = match YamlNode::read_any(text) {
        Ok(YamlNode { value: YamlValue::List(_), .. }) => yaml_file::read(&file, text)?,
        _ => yaml_file::read::<ExpectedFile>(&file, text)?.expected,
    };
    let entries = rows.into_iter().map(|row: EntryRow| row.entry(&file));
    Ok(Expected { file: path.to_owned(), entries: entries.collect::<Result<_, _>>()? })
}

/// The file, if it is not a list of entries itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFile {
    expected: Vec<EntryRow>,
}

/// One entry of the file.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Entry")]
#[serde(deny_unknown_fields)]
pub(super) struct EntryRow {
    /// A scenario `FILE/ID` (with `*` for any text), a requirement, or `FILE/ID#REQUIREMENT`.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    id: Spanned<String>,
    /// The verdict that is expected.
    outcome: ExpectedOutcome,
    /// The reason, for the readers of the report.
    #[schemars(with = "String", regex(pattern = r"\S"))]
    reason: Spanned<String>,
    /// The last day (UTC) on which it is expected: `2027-01-31`. Another name: `expiry`.
    #[serde(default, alias = "expiry")]
    #[schemars(with = "Option<String>", regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    expires: Option<Spanned<String>>,
    /// The condition under which the entry applies. All its parts must hold.
    #[serde(default)]
    condition: Option<ConditionRow>,
}

/// The key `condition` of an entry.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Condition")]
#[serde(deny_unknown_fields)]
struct ConditionRow {
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

impl EntryRow {
    fn entry(self, file: &str) -> Result<ExpectedEntry, DataError> {
        if self.id.value.trim().is_empty() {
            return Err(mistake(file, &self.id, "`id` is empty"));
        }
        if self.reason.value.trim().is_empty() {
            let message = "`reason` is empty: give the reason, for the readers of the report";
            return Err(mistake(file, &self.reason, message));
        }
        let expires = self.expires.map(|text| date(file, &text)).transpose()?;
        let condition = self.condition.map(|row| row.condition(file)).transpose()?;
        let span = YamlSpan::from(self.id.referenced);
        Ok(ExpectedEntry {
            place: (span.line, span.column),
            id: self.id.value.into(),
            outcome: self.outcome,
            reason: self.reason.value,
            expires,
            condition,
        })
    }
}

impl ConditionRow {
    fn condition(self, file: &str) -> Result<Condition, DataError> {
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
    // `Date` also parses a text with a time and ignores the time.
    let parsed = text.value.parse::<Date>().ok().filter(|date| date.to_string() == text.value);
    parsed.ok_or_else(|| {
        mistake(file, text, format!("`{}` is not a day, such as `2027-01-31`", text.value))
    })
}
