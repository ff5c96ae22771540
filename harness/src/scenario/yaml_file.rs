//! Reads a YAML file into a type. Every mistake has its place and, for a key, the nearest known key.

use std::borrow::Cow;
use std::path::Path;

use moot_fixtures::DataError;
use moot_fixtures::nearest::{ending, hint_or_all, nearest};
use moot_fixtures::yaml::{YamlNode, YamlSpan, YamlValue};
use serde::de::DeserializeOwned;
use serde_saphyr::localizer::Localizer;

/// The largest size of a file, in bytes.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Reads the text of a file. Messages call the file `what`: `target file`.
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

/// Reads a text as a `T`. `file` names the file in an error.
///
/// # Errors
/// The first mistake.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, DataError> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = error.location().map(YamlSpan::from);
        DataError::new(file, message(&error, place.and_then(|place| key_at(text, place)))).at(place)
    })
}

/// The key at this place, or the key of the value there.
fn key_at(text: &str, place: YamlSpan) -> Option<String> {
    let is_here = |span: YamlSpan| (span.line, span.column) == (place.line, place.column);
    let mut nodes = vec![(None, YamlNode::read_any(text).ok()?)];
    while let Some((key, node)) = nodes.pop() {
        match node.value {
            YamlValue::Map(entries) => {
                for (key, value) in entries {
                    if is_here(key.span) || is_here(value.span) {
                        return Some(key.name);
                    }
                    nodes.push((Some(key.name), value));
                }
            }
            YamlValue::List(items) => {
                nodes.extend(items.into_iter().map(|item| (key.clone(), item)));
            }
            _ if is_here(node.span) => return key,
            _ => {}
        }
    }
    None
}

fn message(error: &serde_saphyr::Error, key: Option<String>) -> String {
    match error.without_snippet() {
        serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown key `{field}`; {}", hint_or_all(field, expected))
        }
        serde_saphyr::Error::SerdeMissingField { field, .. } => {
            format!("the key `{field}` is missing")
        }
        serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => {
            let place = key.map_or_else(|| "here".to_owned(), |key| format!("for `{key}`"));
            let near = ending(nearest(variant, expected));
            let all = expected.join("`, `");
            format!("`{variant}` is not allowed {place} (allowed words: `{all}`){near}")
        }
        serde_saphyr::Error::DuplicateMappingKey { key, .. } => match key {
            Some(key) => format!("the key `{key}` is there twice"),
            None => "a key is there twice".to_owned(),
        },
        serde_saphyr::Error::InvalidScalar { ty, .. } => expectation(ty).to_owned(),
        serde_saphyr::Error::Unexpected { expected, .. } => expectation(expected).to_owned(),
        serde_saphyr::Error::Eof { .. } => "there is nothing in the file".to_owned(),
        other => {
            let formatter = serde_saphyr::DefaultMessageFormatter;
            other.render_with_formatter(&formatter.with_localizer(&NoPlaces)).replace('\n', " ")
        }
    }
}

/// The expected value in words, from the name that the YAML library gives to its type.
fn expectation(expected: &str) -> &str {
    match expected {
        "u16" => "a whole number from 0 to 65535 belongs here",
        "u32" | "u64" => "a whole number from 0 on belongs here",
        "sequence start" => "a list such as `[one, other]` belongs here",
        "mapping start" => "keys with their values, such as `{key: value}`, belong here",
        "string scalar" => "a text belongs here",
        other => other,
    }
}

/// Messages of the YAML library without line and column, which the error has as a [`YamlSpan`].
struct NoPlaces;

impl Localizer for NoPlaces {
    fn attach_location<'a>(&self, base: Cow<'a, str>, _: serde_saphyr::Location) -> Cow<'a, str> {
        base
    }

    fn alias_defined_at(&self, _: serde_saphyr::Location) -> String {
        String::new()
    }

    fn alias_used_at(&self, _: serde_saphyr::Location) -> String {
        String::new()
    }
}
