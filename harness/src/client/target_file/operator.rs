//! `operator` of a target file: who does at a deployment what no client can do.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use super::error::FileError;
use super::text_or_keys::text_or_keys;
use crate::scenario::model::OperatorAction;

/// In `tolerate`: every action of an operator.
pub(crate) const OPERATOR: &str = "operator";
/// In `tolerate`: whatever needs a control plane. It was the need of what an operator does now.
const ADMIN: &str = "admin";

/// Whether these words of `tolerate` cover a need or a scenario.
pub(crate) fn tolerates(words: &[String], what: &str) -> bool {
    let is_action = OperatorAction::of_need(what).is_some();
    words.iter().any(|word| word == what || is_action && (word == OPERATOR || word == ADMIN))
}

/// Seconds that an action may take, unless the file says otherwise.
const TIMEOUT_SECONDS: u64 = 60;
/// The longest time that a file may give to an action.
const TIMEOUT_SECONDS_MAX: u64 = 3_600;

/// Who does at a deployment what no client can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperator {
    /// A program.
    Command(OperatorCommand),
    /// A person at the terminal, who is asked for every action.
    Ask,
}

/// A program that does the actions. The verb and its values are its last arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorCommand {
    /// The program. A relative path with a slash begins in `folder`.
    pub program: PathBuf,
    /// Its first arguments.
    pub arguments: Vec<String>,
    /// What it can do.
    pub actions: BTreeSet<OperatorAction>,
    /// How long one action may take.
    pub timeout: Duration,
    /// The folder of the target file, in which the program runs.
    pub folder: PathBuf,
}

/// `operator`: `ask`, or the keys of a command.
#[derive(Debug)]
pub(crate) enum OperatorShape {
    Ask,
    Command(Box<CommandShape>),
}

/// The keys of a command.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorCommand")]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandShape {
    /// The program with its first arguments. The action and its values are its last arguments. It runs without
    /// a shell, in the folder of the target file.
    #[schemars(with = "Vec<String>", length(min = 1))]
    command: Spanned<Vec<String>>,
    /// The actions that it can do.
    #[schemars(with = "Vec<OperatorAction>", length(min = 1))]
    actions: Spanned<Vec<OperatorAction>>,
    /// How long one action may take. Without it, 60.
    #[serde(default)]
    #[schemars(with = "Option<u64>", range(min = 1, max = 3600))]
    timeout_seconds: Option<Spanned<u64>>,
}

impl OperatorShape {
    /// The operator of this target file, which is in this folder.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn check(self, file: &str, folder: &Path) -> Result<FileOperator, FileError> {
        let Self::Command(shape) = self else {
            return Ok(FileOperator::Ask);
        };
        let CommandShape { command, actions, timeout_seconds } = *shape;
        let Some((program, arguments)) = command.value.split_first().filter(|it| !it.0.is_empty())
        else {
            let message = "`operator.command` names no program, such as `[./operate.sh]`";
            return Err(FileError::at(file, &command, message));
        };
        if actions.value.is_empty() {
            let message = "`operator.actions` names nothing that the command can do";
            return Err(FileError::at(file, &actions, message));
        }
        let seconds = timeout_seconds.as_ref().map_or(TIMEOUT_SECONDS, |it| it.value);
        if let Some(given) = timeout_seconds
            && !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds)
        {
            let range = format!("`operator.timeout_seconds` is 1 to {TIMEOUT_SECONDS_MAX} seconds");
            return Err(FileError::at(file, &given, range));
        }
        let folder = absolute(folder);
        let program = match program.contains('/') {
            true => folder.join(program),
            false => PathBuf::from(program),
        };
        Ok(FileOperator::Command(OperatorCommand {
            program,
            arguments: arguments.to_vec(),
            actions: actions.value.into_iter().collect(),
            timeout: Duration::from_secs(seconds),
            folder,
        }))
    }
}

/// A relative program would be looked for in the folder of this process.
fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

impl<'de> Deserialize<'de> for OperatorShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_keys(
            deserializer,
            "`ask` or `{command: [WORD, …], actions: [ACTION, …]}`",
            |text| if text == "ask" { Ok(Self::Ask) } else { Err(&["ask"]) },
            |keys| Ok(Self::Command(Box::new(keys))),
        )
    }
}

impl JsonSchema for OperatorShape {
    fn schema_name() -> Cow<'static, str> {
        "Operator".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A program, or `ask`: you are asked at the terminal.",
            "anyOf": [{ "const": "ask" }, generator.subschema_for::<CommandShape>()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::tolerates;

    #[test]
    fn one_word_tolerates_every_action_and_no_other_need() {
        for word in ["operator", "admin", "operator.restart"] {
            let words = [word.to_owned()];
            assert!(tolerates(&words, "operator.restart"), "{word}");
            assert!(!tolerates(&words, "receiver"), "{word}");
            assert_eq!(tolerates(&words, "operator.set_status"), word != "operator.restart");
        }
    }
}
