//! `moot documentation`: writes the reference pages from the code. A test compares them with `docs/reference`.

mod schema_page;
mod tables;

use std::fmt::Write as _;
use std::path::Path;

use super::documents::write_schemas;
use super::error::CommandError;
use super::files::write_file;
use super::formats::FORMATS;

/// The width of a help text, in characters.
const COLUMNS: usize = 100;

/// The first line of each page.
const MARK: &str =
    "<!-- Written by `moot documentation --write docs/reference`. Do not edit. -->\n\n";

/// Writes all pages, and the JSON Schemas below `schemas/`.
pub(super) fn write(folder: &Path, line: clap::Command) -> Result<u8, CommandError> {
    let mut pages = vec![
        ("commands", commands(line)),
        ("exit-codes", tables::exit_codes().map_err(CommandError::fault)?),
        ("requirements", tables::requirements().map_err(CommandError::fault)?),
        ("questions", tables::questions().map_err(CommandError::fault)?),
    ];
    pages.extend(FORMATS.iter().map(|format| (format.page, schema_page::page(format))));
    for (name, text) in pages {
        write_file(&folder.join(format!("{name}.md")), &format!("{MARK}{text}"))?;
    }
    write_schemas(&folder.join("schemas"))?;
    Ok(0)
}

/// The page of all commands, from the definition of the command line.
fn commands(line: clap::Command) -> String {
    let mut line = line.term_width(COLUMNS).disable_help_subcommand(true);
    line.build();
    let mut page =
        "# Commands\n\nThe help of each command, as `moot COMMAND --help` prints it.\n\n"
            .to_owned();
    command_section(&mut page, &mut line, "moot");
    page
}

fn command_section(page: &mut String, command: &mut clap::Command, name: &str) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(page, "## {name}\n\n```text\n{}\n```\n\n", lines.join("\n").trim_end());
    for inner in command.get_subcommands_mut().filter(|inner| !inner.is_hide_set()) {
        let name = format!("{name} {}", inner.get_name());
        command_section(page, inner, &name);
    }
}
