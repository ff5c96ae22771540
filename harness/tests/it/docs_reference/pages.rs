//! The reference pages: all commands, exit codes, requirements, questions, and a page for each file format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use moot_harness::command;

use super::{schema_page, tables};

/// The width of a help text, in characters.
const COLUMNS: usize = 100;

/// The first line of each page.
pub(super) const MARK: &str = "<!-- Written by a test, see CONTRIBUTING.md. Do not edit. -->\n\n";

/// Each file format: the name of its schema, its page, and whether users write these files.
const FORMATS: [(&str, &str, bool); 9] = [
    ("target", "target-file", true),
    ("scenario", "scenario-language", true),
    ("expected", "expected-file", true),
    ("answers", "answers-file", true),
    ("world", "world-file", true),
    ("report", "report", false),
    ("compare", "comparison", false),
    ("conduct", "conduct-report", false),
    ("drill", "certificate", false),
];

/// All pages by file name. `schemas` has the JSON Schema of each format, as `NAME.json`.
pub(super) fn all(schemas: &BTreeMap<PathBuf, String>) -> BTreeMap<PathBuf, String> {
    let mut pages = vec![
        ("commands", commands(command::definition())),
        ("exit-codes", tables::exit_codes()),
        ("requirements", tables::requirements()),
        ("questions", tables::questions()),
    ];
    for (name, page, is_of_users) in FORMATS {
        let schema = &schemas[Path::new(&format!("{name}.json"))];
        let schema = serde_json::from_str(schema).expect("a schema is JSON");
        pages.push((page, schema_page::page(name, &schema, is_of_users)));
    }
    let named = |(name, text)| (PathBuf::from(format!("{name}.md")), format!("{MARK}{text}"));
    pages.into_iter().map(named).collect()
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
