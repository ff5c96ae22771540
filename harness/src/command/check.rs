//! `moot check FILE…`: prints all mistakes in scenario files, each with its place.

use std::path::PathBuf;

use moot_fixtures::DataError;
use moot_fixtures::yaml::YamlSpan;
use serde_json::json;

use super::error::{CommandError, USAGE};
use super::screen::Screen;
use super::suite;
use crate::report::terminal::paint;
use crate::scenario::load;
use crate::verdict::pluralize;

/// Exit 0 if there is no mistake, else 2.
pub(super) fn check(paths: &[PathBuf], screen: &Screen) -> Result<u8, CommandError> {
    match load::paths(paths) {
        Ok(files) => {
            let scenarios: usize = files.iter().map(|file| file.scenarios.len()).sum();
            let json = || json!({ "files": files.len(), "scenarios": scenarios, "mistakes": [] });
            let text = || {
                let ok = paint::bold("no mistake");
                let files = pluralize(files.len(), "file");
                format!("{ok} in {files}, {}\n", pluralize(scenarios, "scenario"))
            };
            screen.show(json, text)?;
            Ok(0)
        }
        Err(mistakes) if screen.is_json() => {
            let rows: Vec<_> = mistakes.iter().map(row).collect();
            screen.json(&json!({ "mistakes": rows }))?;
            Ok(USAGE)
        }
        Err(mistakes) => Err(suite::refusal(&mistakes, screen.color())),
    }
}

/// A file that can't be read has its mistake at its start.
fn row(mistake: &DataError) -> serde_json::Value {
    let place = mistake.place.unwrap_or(YamlSpan::START);
    json!({
        "message": mistake.message,
        "file": mistake.file,
        "line": place.line,
        "column": place.column,
        "help": mistake.hint,
    })
}
