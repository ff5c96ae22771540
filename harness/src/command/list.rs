//! `moot list`: lists the selected scenarios.

use serde_json::json;

use super::error::CommandError;
use super::screen::Screen;
use super::suite::{self, SuiteArguments};
use crate::report::terminal::{Detail, Table, paint};
use crate::scenario::declared;
use crate::scenario::model::Scenario;
use crate::scenario::plan::{self, PlanEntry};
use crate::verdict::pluralize;

/// Prints a line for each selected scenario, grouped by file.
pub(super) fn list(arguments: SuiteArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let planned = plan::select(&files, &arguments.selectors())?;
    if screen.is_json() {
        let rows: Vec<_> = planned.iter().map(row).collect();
        screen.json(&json!({ "scenarios": rows }))?;
        return Ok(0);
    }
    let mut out = String::new();
    for of_file in planned.chunk_by(|one, next| one.place.0 == next.place.0) {
        let file = of_file[0].file;
        let head = format!("§{} {}", file.section, file.title);
        out.push_str(&format!("{}  {}\n", paint::bold(&file.stem), paint::dim(&head)));
        out.push_str(&table(of_file, screen.detail()).render());
        out.push('\n');
    }
    out.push_str(&format!("{}\n", pluralize(planned.len(), "scenario")));
    screen.print(&out)?;
    Ok(0)
}

/// The scenarios of one file; with `-v` also their requirements.
fn table(planned: &[PlanEntry<'_>], detail: Detail) -> Table {
    let mut table = Table::new(2);
    for one in planned {
        let Scenario { id, title, needs, steps, .. } = one.scenario;
        let mut cells = vec![paint::name(id), title.clone()];
        if !needs.is_empty() {
            cells.push(paint::dim(format!("needs {}", needs.join(" "))));
        }
        table.row(cells);
        if detail == Detail::Verbose {
            for requirement in declared::requirements(steps) {
                table.row([String::new(), paint::dim(requirement)]);
            }
        }
    }
    table
}

fn row(one: &PlanEntry<'_>) -> serde_json::Value {
    json!({
        "name": one.name(),
        "title": one.scenario.title,
        "section": one.file.section,
        "needs": one.scenario.needs,
        "tags": one.scenario.tags,
        "requirements": declared::requirements(&one.scenario.steps),
        "questions": declared::questions(&one.scenario.steps),
        "place": one.scenario.at,
    })
}
