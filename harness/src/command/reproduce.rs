//! The command that repeats a run, for the reports. It has the options that were given, as they were given.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::client::curl::shell_word;

/// Options without an effect on the verdicts: they write files, or use those that a run wrote. They are not repeated.
pub(super) const NOT_REPEATED: [&str; 10] = [
    "reports",
    "force",
    "record",
    "save",
    "save_answers",
    "shard",
    "costs",
    "snapshots",
    "snapshot_dir",
    "snapshot_bundle",
];

/// The options of a command that were given, in the order of their declaration.
#[derive(Default)]
pub(super) struct GivenOptions {
    command: String,
    /// The id of each option, and its words, quoted for a POSIX shell.
    options: Vec<(String, Vec<String>)>,
}

impl GivenOptions {
    /// The options in a command line of `program`. Options that all commands have are left out.
    pub(super) fn of(program: &Command, matches: &ArgMatches) -> Self {
        let Some((name, given)) = matches.subcommand() else { return Self::default() };
        let arguments = program.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
        let is_given = |argument: &&Arg| {
            given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
        };
        let options = arguments
            .filter(is_given)
            .map(|argument| (argument.get_id().to_string(), words(argument, given)));
        Self { command: name.to_owned(), options: options.collect() }
    }

    /// The command that repeats this one. `always` are options that it names even if they were not given.
    pub(super) fn line(&self, always: &[(&str, u64)]) -> String {
        let is_repeated =
            |id: &str| !NOT_REPEATED.contains(&id) && always.iter().all(|(it, _)| *it != id);
        let given = self.words(is_repeated);
        let always: String =
            always.iter().map(|(name, value)| format!(" --{name} {value}")).collect();
        format!("moot {}{given}{always}", self.command)
    }

    /// Only these options, each word after a space.
    pub(super) fn only(&self, ids: &[&str]) -> String {
        self.words(|id| ids.contains(&id))
    }

    fn words(&self, is_wanted: impl Fn(&str) -> bool) -> String {
        let wanted = self.options.iter().filter(|(id, _)| is_wanted(id));
        wanted.flat_map(|(_, words)| words).map(|word| format!(" {word}")).collect()
    }
}

/// The words of an option: its name before each value, its name alone if it has none, or only its values if it has no
/// name.
fn words(argument: &Arg, given: &ArgMatches) -> Vec<String> {
    let name = argument.get_long().map(|name| format!("--{name}"));
    if !argument.get_action().takes_values() {
        return name.into_iter().collect();
    }
    let values = given.get_raw(argument.get_id().as_str()).into_iter().flatten();
    values
        .flat_map(|value| name.clone().into_iter().chain([quoted(&value.to_string_lossy())]))
        .collect()
}

fn quoted(word: &str) -> String {
    if word.is_empty() { "''".to_owned() } else { shell_word(word) }
}
