//! `operator` of a target file: the program or person for actions that a client cannot do.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use moot_fixtures::nearest::alike;
use moot_fixtures::pattern::matches;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use super::text_or_keys::text_or_keys;
use crate::client::target_file::TargetFile;
use crate::scenario::load;
use crate::scenario::model::{OperatorAction, ScenarioFile};
use crate::scenario::plan::{self, may_match};

/// The word of `tolerate` for every action of an operator.
pub(crate) const OPERATOR: &str = "operator";
/// The word of `tolerate` for a control plane. Older versions used it for the actions of an operator.
const ADMIN: &str = "admin";

/// Whether these words of `tolerate` cover a need or a scenario. In the name of a scenario, `*` stands for any text.
pub(crate) fn tolerates(words: &[String], what: &str) -> bool {
    let is_action = OperatorAction::of_need(what).is_some();
    words.iter().any(|word| matches(word, what) || is_action && (word == OPERATOR || word == ADMIN))
}

/// Checks the scenarios that `tolerate` of a target file names, against the files of a run and the bundled ones. A name
/// like none of them may be of another suite.
///
/// # Errors
/// The first name that no scenario has, with the nearest one.
pub(crate) fn check_tolerated(file: &TargetFile, files: &[ScenarioFile]) -> Result<(), String> {
    let mut named = file.tolerate.iter().filter(|word| word.contains('/')).peekable();
    if named.peek().is_none() {
        return Ok(());
    }
    let bundled = load::bundled().unwrap_or_default();
    let names: Vec<String> =
        [files, &bundled].into_iter().flat_map(plan::all).map(|it| it.name().to_string()).collect();
    named.filter(|word| !names.iter().any(|name| may_match(word, name))).try_for_each(|word| {
        let Some(near) = alike(word.as_str(), &names) else { return Ok(()) };
        let place = file.places.of("tolerate");
        Err(format!("{place}no scenario is called `{word}`; did you mean `{near}`?"))
    })
}

/// The default time limit for an action.
const TIMEOUT_SECONDS: u64 = 60;
/// The longest time limit that a file may set.
const TIMEOUT_SECONDS_MAX: u64 = 3_600;

/// The operator of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperator {
    /// A program.
    Command(OperatorCommand),
    /// The person at the terminal is asked for every action.
    Ask,
}

/// A program that does the actions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(description = "The keys of a command.")]
#[serde(deny_unknown_fields)]
pub struct OperatorCommand {
    /// The program with its first arguments. The action and its values are its last arguments. It runs without
    /// a shell, in the folder of the target file.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// The actions that it can do.
    #[schemars(with = "Vec<OperatorAction>", length(min = 1))]
    pub actions: BTreeSet<OperatorAction>,
    /// The time limit for one action. Without it, 60.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: Option<u64>,
    /// The folder of the target file, in which the program runs.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl OperatorCommand {
    /// The program. A relative path with a slash begins in `folder`.
    pub fn program(&self) -> PathBuf {
        let program = self.command.first().map_or("", String::as_str);
        match program.contains('/') {
            true => self.folder.join(program),
            false => PathBuf::from(program),
        }
    }

    /// The time limit for one action.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.unwrap_or(TIMEOUT_SECONDS))
    }

    /// The first key with a wrong value, and a message.
    pub(super) fn mistake(&self) -> Option<(&'static str, String)> {
        if self.command.first().is_none_or(String::is_empty) {
            let message = "`operator.command` names no program, such as `[./operate.sh]`";
            return Some(("command", message.to_owned()));
        }
        if self.actions.is_empty() {
            let message = "`operator.actions` names no action that the command can do";
            return Some(("actions", message.to_owned()));
        }
        let seconds = self.timeout_seconds.unwrap_or(TIMEOUT_SECONDS);
        let range = format!("`operator.timeout_seconds` is 1 to {TIMEOUT_SECONDS_MAX} seconds");
        (!(1..=TIMEOUT_SECONDS_MAX).contains(&seconds)).then_some(("timeout_seconds", range))
    }
}

/// The absolute path of a folder. A relative one would be searched from the folder of this process.
pub(super) fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

impl<'de> Deserialize<'de> for FileOperator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_keys(
            deserializer,
            "`ask` or `{command: [WORD, …], actions: [ACTION, …]}`",
            |text| if text == "ask" { Ok(Self::Ask) } else { Err(&["ask"]) },
            |keys| Ok(Self::Command(keys)),
        )
    }
}

impl JsonSchema for FileOperator {
    fn schema_name() -> Cow<'static, str> {
        "Operator".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A program, or `ask`: you are asked at the terminal.",
            "anyOf": [{ "const": "ask" }, generator.subschema_for::<OperatorCommand>()],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::tolerates;

    #[test]
    fn the_words_operator_and_admin_tolerate_every_action_and_no_other_need() {
        for word in ["operator", "admin", "operator.restart"] {
            let words = [word.to_owned()];
            assert!(tolerates(&words, "operator.restart"), "{word}");
            assert!(!tolerates(&words, "receiver"), "{word}");
            assert_eq!(tolerates(&words, "operator.set_status"), word != "operator.restart");
        }
    }

    #[test]
    fn a_star_in_the_name_of_a_scenario_stands_for_any_text() {
        let words = ["06_events/*".to_owned()];
        for (what, expected) in [
            ("06_events/events-full-execution", true),
            ("06_events/events-full-execution[signed]", true),
            ("03_states/every-change-in-the-log", false),
            ("receiver", false),
        ] {
            assert_eq!(tolerates(&words, what), expected, "{what}");
        }
    }
}
