//! Reads a YAML file of ours into a type. A mistake has its place, and names the nearest key.

use std::path::Path;

use moot_fixtures::DataError;
use moot_fixtures::nearest::hint_or_all;
use moot_fixtures::yaml::YamlSpan;
use serde::de::DeserializeOwned;

/// Bytes of a file at most.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The text of a file. `what` is what messages call it: `target file`.
///
/// # Errors
/// The file cannot be read, or is too long.
pub(crate) fn text(path: &Path, what: &str) -> Result<String, DataError> {
    let refused = |message| DataError::new(&path.display().to_string(), message);
    let unreadable = |error: std::io::Error| refused(format!("the {what} cannot be read: {error}"));
    if std::fs::metadata(path).map_err(unreadable)?.len() > FILE_BYTES_MAX {
        return Err(refused(format!("the {what} is longer than {FILE_BYTES_MAX} bytes")));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

/// The value that a text is. `file` names the file in an error.
///
/// # Errors
/// The first mistake.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, DataError> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        DataError::new(file, message(&error)).at(error.location().map(YamlSpan::from))
    })
}

fn message(error: &serde_saphyr::Error) -> String {
    match error.without_snippet() {
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
    }
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
