//! Reads a file of known failures:
//!
//! ```yaml
//! - { id: list-webhooks.status-200, outcome: fail, reason: OPS-12, expires: 2027-01-31 }
//! ```

use std::path::Path;

use jiff::civil::Date;
use moot_fixtures::nearest::{ending, hint_or_all};
use moot_fixtures::yaml::{self, YamlNode, YamlSpan, YamlValue};
use moot_fixtures::{DataError, questions};
use serde::Deserialize;

use super::entry::{ExpectedEntry, ExpectedFailures};
use crate::scenario::model::NEEDS;
use crate::scenario::yaml_file;

/// Reads a file of known failures.
///
/// # Errors
/// The first mistake, with its place.
pub(super) fn read(path: &Path) -> Result<ExpectedFailures, DataError> {
    from_text(&yaml_file::text(path, "file of expected failures")?, path)
}

/// Reads the text of such a file. `path` names it in errors.
///
/// # Errors
/// The first mistake, with its place.
pub fn from_text(text: &str, path: &Path) -> Result<ExpectedFailures, DataError> {
    let file = path.display().to_string();
    let root = YamlNode::read_any(text).map_err(|error| error.in_file(&file))?;
    let mut entries: Vec<ExpectedEntry> = match root.value {
        YamlValue::List(_) => yaml::read(&file, text)?,
        _ => yaml::read::<ExpectedFile>(&file, text)?.expected,
    };
    let list = root.member("expected").unwrap_or(&root);
    for (index, entry) in entries.iter_mut().enumerate() {
        let Some(node) = list.member(&index.to_string()) else { continue };
        entry.place = Some(node.place(&["id"]));
        check(entry, node)
            .map_err(|(place, message)| DataError::new(&file, message).at(Some(place)))?;
    }
    Ok(ExpectedFailures { file: path.to_owned(), entries })
}

/// The file, if it is not a list of entries itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFile {
    expected: Vec<ExpectedEntry>,
}

/// Checks the texts of an entry, which is written as `node`. An error is the first mistake and its place.
fn check(entry: &ExpectedEntry, node: &YamlNode) -> Result<(), (YamlSpan, String)> {
    let refuse = |path: &[&str], message: String| Err((node.place(path), message));
    if entry.id.to_string().trim().is_empty() {
        return refuse(&["id"], "`id` is empty".to_owned());
    }
    if entry.reason.trim().is_empty() {
        let message = "`reason` is empty: give the reason, for the readers of the report";
        return refuse(&["reason"], message.to_owned());
    }
    if let Some(day) = entry.expires.as_ref().filter(|day| !is_day(day)) {
        let key = node.member("expires").map_or("expiry", |_| "expires");
        return refuse(&[key], format!("`{day}` is not a day, such as `2027-01-31`"));
    }
    let Some(condition) = &entry.condition else { return Ok(()) };
    if let Some(id) = condition.answer.keys().find(|id| questions::get(id).is_none()) {
        let near = ending(questions::nearest(id));
        let message = format!("there is no open question `{id}`{near}");
        return refuse(&["condition", "answer", id], message);
    }
    for (key, needs) in [("needs", &condition.needs), ("lacks", &condition.lacks)] {
        let unknown = |(_, need): &(usize, &String)| !NEEDS.contains(&need.as_str());
        if let Some((index, need)) = needs.iter().enumerate().find(unknown) {
            let message = format!("there is no need `{need}`; {}", hint_or_all(need, &NEEDS));
            return refuse(&["condition", key, &index.to_string()], message);
        }
    }
    Ok(())
}

fn is_day(text: &str) -> bool {
    // `Date` also parses a text with a time and ignores the time.
    text.parse::<Date>().is_ok_and(|date| date.to_string() == text)
}
