//! Finds scenario files, bundled or on disk, and reads them.
//!
//! This is the only module of the language that reads files. One mistake refuses the whole suite: a
//! run starts only with valid files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use moot_fixtures::DataError;

use super::model::ScenarioFile;
use super::{read, validate, yaml_file};

include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The largest number of files in one suite.
const FILES_MAX: usize = 500;

/// The bundled scenarios, sorted by name.
///
/// # Errors
/// Every mistake in them. A test checks that there is none.
pub fn bundled() -> Result<Vec<ScenarioFile>, Vec<DataError>> {
    let texts =
        SCENARIOS.iter().map(|(stem, text)| (format!("scenarios/{stem}.yaml"), Arc::from(*text)));
    suite(texts.collect())
}

/// Reads these files, and the `.yaml` and `.yml` files of these folders, each folder sorted by name.
/// Folders inside them are skipped.
///
/// # Errors
/// Every mistake in them, or the first file that can't be read.
pub fn paths(paths: &[PathBuf]) -> Result<Vec<ScenarioFile>, Vec<DataError>> {
    let mut texts = Vec::new();
    for file in files(paths)? {
        let text = yaml_file::text(&file, "scenario file").map_err(|error| vec![error])?;
        texts.push((file.to_string_lossy().into_owned(), Arc::from(text)));
    }
    suite(texts)
}

/// Reads a suite of texts, each with the path that names it in messages.
///
/// # Errors
/// Every mistake of form, and every mistake of meaning in the files that are well-formed.
pub fn suite(texts: Vec<(String, Arc<str>)>) -> Result<Vec<ScenarioFile>, Vec<DataError>> {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for (path, text) in texts {
        match read::file(&path, &text) {
            Ok(file) => files.push(file),
            Err(found) => problems.extend(found),
        }
    }
    problems.extend(validate::suite(&files));
    if problems.is_empty() { Ok(files) } else { Err(problems) }
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Vec<DataError>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = fs::read_dir(path)
                .map_err(|error| unusable(path, format!("it cannot be read: {error}")))?;
            let mut found: Vec<PathBuf> = entries
                .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                .filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "yml"))
                // Editors and file systems keep files of their own beside a file: `.#name.yaml`, `._name.yaml`.
                .filter(|path| {
                    !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
                })
                // Reading a named pipe waits for its writer. A link to nothing stays, and is reported.
                .filter(|path| fs::metadata(path).map_or(true, |found| found.is_file()))
                .collect();
            if found.is_empty() {
                return Err(unusable(path, "this folder has no `.yaml` file".to_owned()));
            }
            found.sort();
            files.extend(found);
        } else if matches!(path.try_exists(), Ok(false)) {
            return Err(unusable(path, "there is no such file or folder".to_owned()));
        } else {
            files.push(path.clone());
        }
        if files.len() > FILES_MAX {
            return Err(unusable(path, format!("there are more than {FILES_MAX} files")));
        }
    }
    Ok(files)
}

fn unusable(path: &Path, message: String) -> Vec<DataError> {
    vec![DataError::new(&path.to_string_lossy(), message)]
}
