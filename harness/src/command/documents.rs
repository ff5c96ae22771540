//! `moot schema`, `moot openapi`, `moot completions`: documents that are only printed.

use moot_fixtures::nearest::alike;
use moot_fixtures::{openapi, schemas};

use super::error::CommandError;
use super::screen::Screen;
use crate::{compare, drill, expected, report, scenario};

/// A JSON Schema by name; all names without one. Exit 2 where there is no such name.
pub(super) fn schema(name: Option<&str>, screen: &Screen) -> Result<u8, CommandError> {
    let contract = || schemas::all().iter().map(|(name, _)| *name);
    let known =
        || ["scenario", "report", "compare", "expected", "drill"].into_iter().chain(contract());
    let Some(name) = name else {
        let names: Vec<&str> = known().collect();
        if screen.is_json() {
            screen.json(&serde_json::json!({ "schemas": names }))?;
        } else {
            screen.print(&format!("{}\n", names.join("\n")))?;
        }
        return Ok(0);
    };
    match name {
        "scenario" => screen.json(&scenario::schema::document())?,
        "report" => screen.print(report::json::SCHEMA)?,
        "compare" => screen.print(compare::SCHEMA)?,
        "drill" => screen.json(&drill::certificate::schema())?,
        "expected" => screen.print(expected::SCHEMA)?,
        other => match schemas::get(other) {
            Some(schema) => screen.json(schema)?,
            None => {
                let refusal = CommandError::usage(format!("there is no schema `{other}`"));
                return Err(match alike(other, known()) {
                    None => refusal.help("`moot schema` lists all names"),
                    near => refusal.nearest(near),
                });
            }
        },
    }
    Ok(0)
}

/// The description of the service.
pub(super) fn openapi(screen: &Screen) -> Result<u8, CommandError> {
    screen.json(&openapi::document())?;
    Ok(0)
}

/// A completion script for a shell, of this command line.
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
