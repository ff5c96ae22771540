//! `moot schema`, `moot openapi`, `moot completions`, `moot man`: print or write documents.

use std::path::{Path, PathBuf};

use clap::Args;
use moot_fixtures::nearest::alike;
use moot_fixtures::{openapi, schemas};

use super::error::CommandError;
use super::files::{unwritable, write_file};
use super::formats::{FORMATS, FileFormat};
use super::screen::Screen;

#[derive(Debug, Args)]
pub(super) struct SchemaArguments {
    /// The name of the schema
    name: Option<String>,
    /// Write the schemas of all file formats into this folder, as `NAME.json`
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    write: Option<PathBuf>,
}

/// Prints a JSON Schema, or the names of all schemas. An unknown name ends with exit code 2.
pub(super) fn schema(arguments: SchemaArguments, screen: &Screen) -> Result<u8, CommandError> {
    if let Some(folder) = &arguments.write {
        write_schemas(folder)?;
        return Ok(0);
    }
    let contract = || schemas::all().iter().map(|(name, _)| *name);
    let known = || FORMATS.iter().map(|format| format.name).chain(contract());
    let Some(name) = arguments.name.as_deref() else {
        let names: Vec<&str> = known().collect();
        let json = || serde_json::json!({ "schemas": names });
        screen.show(json, || format!("{}\n", names.join("\n")))?;
        return Ok(0);
    };
    let own = FORMATS.iter().find(|format| format.name == name);
    let schema = own.map(FileFormat::schema).or_else(|| schemas::get(name).cloned());
    screen.json(&schema.ok_or_else(|| {
        CommandError::usage(format!("there is no schema `{name}`"))
            .help("`moot schema` lists all names")
            .nearest(alike(name, known()))
    })?)?;
    Ok(0)
}

/// Writes `NAME.json` for each file format of Moot.
fn write_schemas(folder: &Path) -> Result<(), CommandError> {
    for format in &FORMATS {
        let file = folder.join(format!("{}.json", format.name));
        write_file(&file, &format!("{:#}\n", format.schema()))?;
    }
    Ok(())
}

/// Prints the OpenAPI document of the service.
pub(super) fn openapi(screen: &Screen) -> Result<u8, CommandError> {
    screen.json(&openapi::document())?;
    Ok(0)
}

/// Prints the completion script of this command line for a shell.
pub(super) fn completions(
    shell: clap_complete::Shell,
    line: &mut clap::Command,
    screen: &Screen,
) -> Result<u8, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, line, "moot", &mut script);
    screen.print(&String::from_utf8_lossy(&script))?;
    Ok(0)
}

/// Writes a man page for each command, in section 1.
pub(super) fn man(folder: &Path, line: clap::Command) -> Result<u8, CommandError> {
    let cannot = |error| unwritable(folder, &error);
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(line.disable_help_subcommand(true), folder).map_err(cannot)?;
    Ok(0)
}
