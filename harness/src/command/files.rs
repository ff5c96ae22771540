//! Files that the user names, and bundled answers and worlds.

use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{DataError, answers, world};
use moot_mock::shell::settings::{self, SettingError};
use serde_json::Value;

use super::error::CommandError;
use crate::grading::drill::certificate::Certificate;
use crate::scenario::yaml_file::utf8;

/// Reads a file as text.
pub(super) fn read_file(path: &Path) -> Result<String, CommandError> {
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    let error = DataError::new(&path.display().to_string(), "it is not UTF-8 text");
    Ok(utf8(bytes).map_err(|place| error.at(Some(place)))?)
}

/// The error for a file or folder of the user that cannot be read.
pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("`{}` cannot be read: {error}", path.display()))
}

/// The error for a file or folder of the user that cannot be written.
pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("`{}` cannot be written: {error}", path.display()))
}

/// Reads a JSON file.
pub(super) fn read_json(path: &Path) -> Result<Value, CommandError> {
    serde_json::from_str(&read_file(path)?)
        .map_err(|error| wrong(path, format!("it is not JSON: {error}")))
}

/// The certificate in a JSON file.
pub(super) fn certificate(path: &Path, json: Value) -> Result<Certificate, CommandError> {
    serde_json::from_value(json)
        .map_err(|error| wrong(path, format!("it is not a certificate of `moot drill`: {error}")))
}

/// The error for a wrong file of the user.
pub(super) fn wrong(path: &Path, why: impl std::fmt::Display) -> CommandError {
    CommandError::usage(format!("{}: {why}", path.display()))
}

/// Writes a file, and makes its folder if there is none.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text)).map_err(|error| unwritable(path, &error))
}

/// Reads answers: `default`, `documented`, `random:SEED` or a file.
pub(super) fn answers_named(name: &str) -> Result<Answers, CommandError> {
    settings::answers(name).or_else(|unknown| read_instead(name, &unknown, answers::parse))
}

/// Reads a bundled world, or a world file.
pub(super) fn world_named(name: &str) -> Result<Arc<SeedWorld>, CommandError> {
    settings::world(name)
        .or_else(|unknown| read_instead(name, &unknown, world::parse).map(Arc::new))
}

/// Reads a file whose name is not a bundled name. If there is no such file, the message includes `unknown`, which lists
/// the bundled names.
fn read_instead<T>(
    file: &str,
    unknown: &SettingError,
    parse: fn(&str) -> Result<T, DataError>,
) -> Result<T, CommandError> {
    let path = Path::new(file);
    if !path.is_file() {
        let why = if path.is_dir() { "is a folder" } else { "does not exist" };
        return Err(CommandError::usage(format!(
            "{unknown} (the path of a file is accepted too, but `{file}` {why})"
        )));
    }
    Ok(parse(&read_file(path)?).map_err(|error| error.in_file(file))?)
}

#[cfg(test)]
mod tests {
    use super::{answers_named, world_named};

    #[test]
    fn a_file_that_is_no_text_is_refused_with_its_place() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("world.yaml");
        std::fs::write(&file, b"seeded_at: now\nname: \xff").expect("it is written");
        let refusal = world_named(file.to_str().expect("UTF-8")).expect_err("no text");
        let expected = format!("{}:2:7: it is not UTF-8 text", file.display());
        assert!(refusal.message.contains(&expected), "{}", refusal.message);
    }

    #[test]
    fn a_bundled_name_or_a_file_is_accepted() {
        assert!(world_named("demo").is_ok());
        assert!(answers_named("documented").is_ok());
        assert!(answers_named("random:7").is_ok());
        for (name, why) in [("dem", "`dem` does not exist"), ("src", "`src` is a folder")] {
            let refusal = world_named(name).expect_err("no such world");
            assert!(refusal.message.contains(why), "{}", refusal.message);
        }
    }
}
