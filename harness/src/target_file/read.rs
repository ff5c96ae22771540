//! Reading a target file: from text to a checked value, every mistake with line and column.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use moot_fixtures::contract::Scopes;
use moot_fixtures::nearest::{ending, nearest};
use secrecy::SecretString;

use crate::target_file::address;
use crate::target_file::check::{TargetFileReader, check_secret};
use crate::target_file::model::{
    AdminChoice, ApplicationCredentials, FileApplications, FileBindings, FileLimits, TargetFile,
};
use crate::target_file::secret::Variables;
use crate::target_file::shape::TargetFileShape;

/// A target file is at most so long.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Where the ledger is unless the file says otherwise.
pub(crate) const LEDGER: &str = ".moot/ledger.ndjson";

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

fn place(file: &str, line: u64, column: u64) -> String {
    if line == 0 { format!("{file}: ") } else { format!("{file}:{line}:{column}: ") }
}

/// Reads a target file and the secrets it names.
///
/// # Errors
/// The first mistake.
pub fn read(path: &Path) -> Result<TargetFile, FileError> {
    let file = path.display().to_string();
    let whole = |message: String| FileError { file: file.clone(), line: 0, column: 0, message };
    let length = std::fs::metadata(path)
        .map_err(|error| whole(format!("the target file cannot be read: {error}")))?
        .len();
    if length > FILE_BYTES_MAX {
        return Err(whole(format!("the target file is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| whole(format!("the target file cannot be read: {error}")))?;
    from_text(&text, path, &|name| std::env::var(name).ok())
}

/// Reads the text of a target file; `path` names it, and its folder is where relative paths begin.
///
/// # Errors
/// The first mistake.
pub fn from_text(
    text: &str,
    path: &Path,
    variables: Variables<'_>,
) -> Result<TargetFile, FileError> {
    let reader = TargetFileReader {
        file: path.display().to_string(),
        folder: path.parent().map(Path::to_path_buf).unwrap_or_default(),
        variables,
    };
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let shape = serde_saphyr::from_str_with_options::<TargetFileShape>(text, options)
        .map_err(|error| syntax(&reader.file, &error))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    reader.check(shape, stem.unwrap_or_default())
}

/// A target that is only an address: no consent, credentials from `MOOT_CLIENT_ID` and
/// `MOOT_CLIENT_SECRET`, which a moot mock does without.
///
/// # Errors
/// Where it is no base address.
pub fn from_url(text: &str, variables: Variables<'_>) -> Result<TargetFile, FileError> {
    let base_url = address::base(text).map_err(|message| FileError {
        file: "--target".to_owned(),
        line: 0,
        column: 0,
        message,
    })?;
    let filled = |name| variables(name).filter(|value| !value.is_empty());
    let main = filled("MOOT_CLIENT_ID").zip(filled("MOOT_CLIENT_SECRET")).map(|(id, secret)| {
        ApplicationCredentials {
            client_id: id,
            client_secret: SecretString::from(secret),
            scopes: Scopes::READ_WRITE,
        }
    });
    if let Some(main) = &main {
        let is_loopback = address::is_loopback(&base_url);
        check_secret(&main.client_secret, "MOOT_CLIENT_SECRET", is_loopback).map_err(
            |message| FileError { file: "--target".to_owned(), line: 0, column: 0, message },
        )?;
    }
    Ok(TargetFile {
        name: address::shown_host(&base_url),
        base_url,
        applications: FileApplications { main, ..FileApplications::default() },
        bindings: FileBindings::default(),
        endpoints: BTreeMap::new(),
        consent: BTreeSet::new(),
        limits: FileLimits::default(),
        tolerate: Vec::new(),
        expected: None,
        answers: None,
        ca_file: None,
        headers: Vec::new(),
        admin: AdminChoice::Auto,
        expired_token: None,
        revoked_token: None,
        ledger: PathBuf::from(LEDGER),
    })
}

/// A mistake that the YAML reader found, with the nearest key where one is unknown.
pub(crate) fn syntax(file: &str, error: &serde_saphyr::Error) -> FileError {
    let error = error.without_snippet();
    let message = match error {
        serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown key `{field}`{}", did_you_mean(field, expected))
        }
        serde_saphyr::Error::SerdeMissingField { field, .. } => {
            format!("the key `{field}` is missing")
        }
        serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => {
            format!("`{variant}` is not known here{}", did_you_mean(variant, expected))
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

/// What belongs in the place of a value, by what the YAML reader calls it.
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

/// `; did you mean …?`, or what there is.
pub(crate) fn did_you_mean(given: &str, known: &[&str]) -> String {
    match nearest(given, known) {
        None => format!("; there are {}", known.join(", ")),
        near => ending(near),
    }
}

/// The message of the YAML reader without its own way of telling the place.
fn without_place(message: &str) -> String {
    let place = regex::Regex::new(r"(?i)\s*\(?(at )?line \d+,? col(umn)? \d+\)?:?\s*");
    let text = place.map_or_else(|_| message.into(), |place| place.replace_all(message, " "));
    text.trim().trim_end_matches([':', ',']).replace('\n', " ")
}
