//! The page of all commands, from the definition of the command line.

use std::fmt::Write as _;

/// The width of a help text, in characters.
const COLUMNS: usize = 100;

pub(super) fn page(line: clap::Command) -> String {
    let mut line = line.term_width(COLUMNS).disable_help_subcommand(true);
    line.build();
    let mut page =
        "# Commands\n\nThe help of each command, as `moot COMMAND --help` prints it.\n\n"
            .to_owned();
    section(&mut page, &mut line, "moot");
    page
}

fn section(page: &mut String, command: &mut clap::Command, name: &str) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "## {name}\n\n```text\n{}\n```\n\n", lines.join("\n").trim_end());
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        let name = format!("{name} {}", inner.get_name());
        section(page, inner, &name);
    }
}
