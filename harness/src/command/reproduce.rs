//! Builds the command that repeats a run, for the reports. It leaves `--report` out.

use std::path::Path;

use super::suite::SuiteArguments;
use super::target_arguments::{ReachArguments, TargetArguments};
use crate::client::curl::shell_word;

/// Builds a command line.
#[derive(Default)]
pub(super) struct CommandText(Vec<String>);

impl CommandText {
    /// `moot COMMAND`.
    pub(super) fn new(command: &str) -> Self {
        Self(vec!["moot".to_owned(), command.to_owned()])
    }

    /// Adds a word.
    pub(super) fn word(mut self, word: impl Into<String>) -> Self {
        self.0.push(word.into());
        self
    }

    /// Adds `NAME VALUE`, if there is a value.
    pub(super) fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.0.extend([name.to_owned(), value.to_string()]);
        }
        self
    }

    /// Adds `NAME FILE`, if there is a file.
    pub(super) fn file(self, name: &str, file: Option<impl AsRef<Path>>) -> Self {
        self.option(name, file.map(|file| file.as_ref().display().to_string()))
    }

    /// Adds `NAME`, if it was given.
    pub(super) fn flag(mut self, name: &str, is_given: bool) -> Self {
        self.0.extend(is_given.then(|| name.to_owned()));
        self
    }

    /// Adds the options of the suite, selectors first.
    pub(super) fn suite(mut self, suite: &SuiteArguments) -> Self {
        self.0.extend(suite.selectors.iter().cloned());
        self.flag("--smoke", suite.smoke).scenario_folders(suite)
    }

    /// Adds the folders of scenarios.
    pub(super) fn scenario_folders(self, suite: &SuiteArguments) -> Self {
        suite.scenarios.iter().fold(self, |line, folder| line.file("--scenarios", Some(folder)))
    }

    /// Adds the options of the target.
    pub(super) fn target(self, target: &TargetArguments) -> Self {
        self.option("--target", target.target.as_ref())
            .option("--world", target.world.as_ref())
            .option("--answers", target.answers.as_ref())
            .file("--token-file", target.token_file.as_ref())
            .reach(&target.reach)
    }

    /// Adds the options for requests to the target and webhooks from it.
    pub(super) fn reach(self, reach: &ReachArguments) -> Self {
        self.option("--rate", reach.rate)
            .option("--receiver", reach.receiver)
            .option("--receiver-url", reach.receiver_url.as_ref())
    }

    /// The line, quoted for a POSIX shell.
    pub(super) fn text(self) -> String {
        let quoted = |word: &String| match word.as_str() {
            "" => "''".to_owned(),
            word => shell_word(word),
        };
        self.0.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::CommandText;

    #[test]
    fn words_with_special_characters_are_quoted() {
        let words = CommandText::default().word("plain-1.yaml").word("it's").word("");
        assert_eq!(words.text(), "plain-1.yaml 'it'\\''s' ''");
        let line = CommandText::new("run")
            .word("tag:a b")
            .option("--jobs", Some(3))
            .flag("--strict", true);
        assert_eq!(
            line.option("--seed", None::<u64>).text(),
            "moot run 'tag:a b' --jobs 3 --strict"
        );
    }
}
