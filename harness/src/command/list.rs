//! `moot list`: lists the selected scenarios.

use serde_json::json;

use super::error::CommandError;
use super::screen::Screen;
use super::suite::{self, SuiteArguments};
use crate::scenario::declared;
use crate::scenario::plan::{self, Planned};
use crate::terminal::Detail;
use crate::terminal::paint::{left, width};

/// A line for each scenario, below its file.
pub(super) fn list(arguments: SuiteArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let planned = plan::select(&files, &arguments.selectors)?;
    if screen.is_json() {
        let rows: Vec<_> = planned.iter().map(row).collect();
        screen.json(&json!({ "scenarios": rows }))?;
        return Ok(0);
    }
    let paint = screen.paint();
    let names = width(planned.iter().map(|one| one.scenario.id.as_str()));
    let mut out = String::new();
    let mut stem = "";
    for one in &planned {
        if one.file.stem != stem {
            stem = &one.file.stem;
            let gap = if out.is_empty() { "" } else { "\n" };
            let head = format!("§{} {}", one.file.section, one.file.title);
            out.push_str(&format!("{gap}{}  {}\n", paint.bold(stem), paint.dim(&head)));
        }
        let name = paint.name(&left(&one.scenario.id, names));
        let needs = match one.scenario.needs.join(" ") {
            needs if needs.is_empty() => String::new(),
            needs => paint.dim(&format!("  needs {needs}")),
        };
        out.push_str(&format!("  {name}  {}{needs}\n", one.scenario.title));
        if screen.detail() == Detail::Verbose {
            for id in declared::requirements(&one.scenario.steps) {
                out.push_str(&format!("  {}  {}\n", left("", names), paint.dim(&id)));
            }
        }
    }
    out.push_str(&format!("\n{} scenarios\n", planned.len()));
    screen.print(&out)?;
    Ok(0)
}

fn row(one: &Planned<'_>) -> serde_json::Value {
    json!({
        "name": one.name(),
        "title": one.scenario.title,
        "section": one.file.section,
        "needs": one.scenario.needs,
        "tags": one.scenario.tags,
        "requirements": declared::requirements(&one.scenario.steps),
        "questions": declared::questions(&one.scenario.steps),
        "place": {
            "file": &*one.scenario.at.file,
            "line": one.scenario.at.line,
            "column": one.scenario.at.column,
        },
    })
}
