//! `moot selftest --target`: which checks are alive on a deployment.

use std::fs;

use moot_mock::defect::{self, Defect};
use serde_json::json;

use super::failure::Failure;
use super::line::{SelftestArguments, SelftestKind};
use super::run::{STDOUT, choice_of, drawn, runtime};
use super::screen::Screen;
use super::selftest::bench;
use crate::environment::TargetOptions;
use crate::selftest::deployed::{DeployedError, deployed as tried};
use crate::selftest::deployed_text;
use crate::terminal::escape;

/// Exit 0 where a check proved alive, 3 where none did; 2 and 4 as of a run.
pub(super) fn deployed(
    target: &str,
    arguments: &SelftestArguments,
    screen: &Screen,
) -> Result<u8, Failure> {
    if let Some(report) = arguments.reports.iter().find(|it| it.kind != SelftestKind::Json) {
        return Err(Failure::usage(format!(
            "{} can't be written: on a target there is no whole kill matrix",
            report.file
        ))
        .help("take --report json=FILE, or leave --target out"));
    }
    let all = chosen(arguments)?;
    let (bench, progress) = bench(arguments, screen)?;
    let light: usize = bench.light().iter().map(|file| file.scenarios.len()).sum();
    progress.expect(all.len() + light + 1);
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::fault(format!("no temporary folder can be made: {error}")))?;
    let seed = drawn();
    let options =
        TargetOptions { seed, run_tag: format!("moot-{seed:08x}"), ..TargetOptions::default() };
    let choice = choice_of(Some(target));
    let found = runtime()?.block_on(tried(&bench, choice, options, folder.path(), all));
    progress.end();
    let found = found.map_err(|error| match error {
        DeployedError::Trouble { said, exit_code } => {
            Failure { message: said, help: None, exit_code }
        }
        DeployedError::Recording(error) => Failure::fault(error.to_string()),
    })?;
    let json = || escape::json(&format!("{:#}\n", json!(found)));
    for report in &arguments.reports {
        match report.file.as_str() {
            STDOUT => screen.print(&json())?,
            file => fs::write(file, json())
                .map_err(|error| Failure::fault(format!("{file} can't be written: {error}")))?,
        }
    }
    let is_stdout_taken = arguments.reports.iter().any(|report| report.file == STDOUT);
    match (screen.is_json(), is_stdout_taken) {
        (true, false) => screen.print(&json())?,
        (true, true) => {}
        (false, false) => {
            screen.print(&deployed_text(&found, screen.paint(), screen.detail()))?;
        }
        (false, true) => {
            screen.note(&deployed_text(&found, screen.paint_err(), screen.detail()))?;
        }
    }
    Ok(found.exit_code())
}

/// The defects that can be laid over answers: all, or the chosen ones.
fn chosen(arguments: &SelftestArguments) -> Result<Vec<&'static Defect>, Failure> {
    let chosen = || defect::all().iter().filter(|it| arguments.is_chosen(&it.id));
    let other = chosen().find(|it| !arguments.defects.is_empty() && !it.is_rewriting());
    if let Some(other) = other {
        return Err(Failure::usage(format!(
            "`{}` does more than rewrite a response, and can't be laid over what a deployment \
             answers",
            other.id
        ))
        .help("leave --target out, so that the mock errs"));
    }
    Ok(chosen().filter(|it| it.is_rewriting()).collect())
}
