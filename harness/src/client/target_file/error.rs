//! Mistakes in a YAML file of ours, each at its place, with the nearest key.

use moot_fixtures::nearest::hint_or_all;
use serde_saphyr::Spanned;

/// A mistake in a target file. Shown as `FILE:LINE:COLUMN: message`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(file, *line, *column))]
pub struct FileError {
    /// The file, as given.
    pub file: String,
    /// From 1; 0 where the whole file is meant.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl FileError {
    /// A mistake at this value.
    pub(crate) fn at<T>(file: &str, value: &Spanned<T>, message: impl Into<String>) -> Self {
        let (line, column) = (value.referenced.line(), value.referenced.column());
        Self { file: file.to_owned(), line, column, message: message.into() }
    }

    /// A mistake of the whole file.
    pub(crate) fn whole(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into() }
    }
}

fn place(file: &str, line: u64, column: u64) -> String {
    if line == 0 { format!("{file}: ") } else { format!("{file}:{line}:{column}: ") }
}

/// A mistake that the YAML reader found, with the nearest key where one is unknown.
pub(crate) fn syntax(file: &str, error: &serde_saphyr::Error) -> FileError {
    let error = error.without_snippet();
    let message = match error {
        serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown key `{field}`; {}", hint_or_all(field, expected))
        }
        serde_saphyr::Error::SerdeMissingField { field, .. } => {
            format!("the key `{field}` is missing")
        }
        serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => {
            format!("`{variant}` is not known here; {}", hint_or_all(variant, expected))
        }
        serde_saphyr::Error::DuplicateMappingKey { key, .. } => match key {
            Some(key) => format!("the key `{key}` is there twice"),
            None => "a key is there twice".to_owned(),
        },
        serde_saphyr::Error::InvalidScalar { ty, .. } => belongs(ty).to_owned(),
        serde_saphyr::Error::Unexpected { expected, .. } => belongs(expected).to_owned(),
        serde_saphyr::Error::Eof { .. } => "there is nothing in the file".to_owned(),
        other => without_place(&other.to_string()),
    };
    let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
    FileError { file: file.to_owned(), line, column, message }
}

/// What is expected instead of a value, by the YAML reader's name for it.
fn belongs(expected: &str) -> &str {
    match expected {
        "u16" => "a whole number from 0 to 65535 belongs here",
        "u32" | "u64" => "a whole number from 0 on belongs here",
        "sequence start" => "a list such as `[one, other]` belongs here",
        "mapping start" => "keys with their values, such as `{key: value}`, belong here",
        "string scalar" => "a text belongs here",
        other => other,
    }
}

/// The message of the YAML reader without its own way of telling the place.
fn without_place(message: &str) -> String {
    let place = regex::Regex::new(r"(?i)\s*\(?(at )?line \d+,? col(umn)? \d+\)?:?\s*");
    let text = place.map_or_else(|_| message.into(), |place| place.replace_all(message, " "));
    text.trim().trim_end_matches([':', ',']).replace('\n', " ")
}
