//! `moot selftest`: tests the tests, and says so.

use std::fs;

use moot_mock::defect;
use serde_json::json;

use super::failure::{Failure, nearest};
use super::line::{SelftestArguments, SelftestKind};
use super::run::runtime;
use super::screen::Screen;
use super::suite;
use crate::report::escape;
use crate::selftest::{Bench, Defect, Outcome, defects, degenerate, latitude, matrix, page, text};

/// Scenarios side by side in one trial.
const JOBS: usize = 2;

/// Trials side by side where the machine does not tell its cores.
const LANES_DEFAULT: usize = 2;

/// Exit 1 where a defect survived, something sound failed, or what is no service was blessed.
pub(super) fn selftest(arguments: SelftestArguments, screen: &Screen) -> Result<u8, Failure> {
    let ids = || defect::all().iter().map(|defect| defect.id);
    if let Some(id) = arguments.defects.iter().find(|id| defect::named(id).is_none()) {
        return Err(
            Failure::usage(format!("there is no defect `{id}`")).nearest(nearest(id, ids()))
        );
    }
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let lanes = std::thread::available_parallelism().map_or(LANES_DEFAULT, |cores| cores.get() * 2);
    let bench = Bench { files, lanes, jobs: JOBS };
    let outcome = runtime()?.block_on(tested(&bench, &arguments))?;
    for report in &arguments.reports {
        let content = match report.kind {
            SelftestKind::Json => escape::json(&format!("{:#}\n", json!(outcome))),
            SelftestKind::Html => page::page(&outcome).map_err(Failure::fault)?,
        };
        fs::write(&report.file, content).map_err(|error| {
            Failure::fault(format!("{} can't be written: {error}", report.file))
        })?;
    }
    if screen.is_json() {
        screen.json(&json!(outcome))?;
    } else {
        screen.print(&text::text(&outcome, screen.paint(), screen.detail()))?;
    }
    Ok(u8::from(!outcome.is_proven()))
}

async fn tested(bench: &Bench, arguments: &SelftestArguments) -> Result<Outcome, Failure> {
    let all = defect::all().iter().filter(|it| arguments.is_chosen(it.id)).map(described);
    let defects = defects::defects(bench, all.collect(), arguments.thorough).await;
    let latitude = latitude::latitude(bench, arguments.seeds).await;
    let degenerate = degenerate::degenerate(bench).await.map_err(|error| {
        Failure::fault(format!("a target of the self-test can't be made: {error}"))
    })?;
    Ok(Outcome {
        version: env!("CARGO_PKG_VERSION"),
        is_thorough: arguments.thorough,
        matrix: matrix::matrix(&bench.files, &defects),
        defects,
        latitude,
        degenerate,
    })
}

fn described(defect: &defect::Defect) -> Defect {
    let texts = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    Defect {
        id: defect.id.to_owned(),
        section: defect.section.to_owned(),
        breaks: texts(defect.breaks),
        also: texts(defect.also),
        what: defect.what.to_owned(),
        heavy: defect.heavy,
    }
}
