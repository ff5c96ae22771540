//! `moot documentation`: writes the reference pages from the code. A test compares them with `docs/reference`.

mod commands_page;
mod schema_page;
mod tables;

use std::path::Path;

use super::documents::write_schemas;
use super::error::CommandError;
use super::files::write_file;
use super::formats::FORMATS;

/// The first line of each page.
const MARK: &str =
    "<!-- Written by `moot documentation --write docs/reference`. Do not edit. -->\n\n";

/// Writes all pages, and the JSON Schemas below `schemas/`.
pub(super) fn write(folder: &Path, line: clap::Command) -> Result<u8, CommandError> {
    let mut pages = vec![
        ("commands", commands_page::page(line)),
        ("exit-codes", tables::exit_codes()),
        ("requirements", tables::requirements()),
        ("questions", tables::questions()),
    ];
    pages.extend(
        FORMATS
            .iter()
            .map(|format| (format.page, schema_page::page(&format.schema(), format.name))),
    );
    for (name, text) in pages {
        write_file(&folder.join(format!("{name}.md")), &format!("{MARK}{text}"))?;
    }
    write_schemas(&folder.join("schemas"))?;
    Ok(0)
}
