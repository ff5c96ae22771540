//! Reads answers and worlds that the command line names: bundled ones by name, others from a file.

use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use moot_fixtures::{answers, world};
use moot_mock::shell::settings::{self, SettingError};

use super::error::CommandError;
use super::files::read_file;

/// Reads answers: `default`, `documented`, `random:SEED` or a file.
pub(super) fn answers_named(name: &str) -> Result<Answers, CommandError> {
    match settings::answers(name) {
        Ok(answers) => Ok(answers),
        Err(error) => answers::parse(&read(name, &error)?)
            .map_err(|error| CommandError::usage(error.in_file(name).to_string())),
    }
}

/// Reads a bundled world, or a world file.
pub(super) fn world_named(name: &str) -> Result<Arc<SeedWorld>, CommandError> {
    match settings::world(name) {
        Ok(world) => Ok(world),
        Err(error) => world::parse(&read(name, &error)?)
            .map(Arc::new)
            .map_err(|error| CommandError::usage(error.in_file(name).to_string())),
    }
}

/// Reads a file. If it does not exist, the message includes `error`, which lists the bundled names.
fn read(file: &str, error: &SettingError) -> Result<String, CommandError> {
    if !Path::new(file).is_file() {
        return Err(CommandError::usage(format!(
            "{error} (the path of a file is accepted too, but the file `{file}` does not exist)"
        )));
    }
    read_file(Path::new(file))
}

#[cfg(test)]
mod tests {
    use super::{answers_named, world_named};

    #[test]
    fn a_bundled_name_or_a_file_is_accepted() {
        assert!(world_named("demo").is_ok());
        assert!(answers_named("documented").is_ok());
        assert!(answers_named("random:7").is_ok());
        let refusal = world_named("dem").expect_err("no such world");
        assert!(refusal.message.contains("the file `dem` does not exist"), "{}", refusal.message);
    }
}
