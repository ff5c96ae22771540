//! `moot selftest`: tests the tests, and says so. On a deployment: [`super::selftest_deployed`].

use std::fs;
use std::sync::Arc;

use moot_fixtures::nearest::alike;
use moot_mock::defect::{self, Defect};
use serde_json::json;

use super::artefact;
use super::failure::Failure;
use super::line::{SelftestArguments, SelftestKind, SelftestReport};
use super::progress::Progress;
use super::run::{STDOUT, runtime};
use super::screen::Screen;
use super::selftest_deployed::deployed;
use super::suite;
use crate::selftest::{
    Bench, DEGENERATE_COUNT, Outcome, alone, alone_count, defects, degenerate, latitude,
    markdown, matrix, page, text,
};
use crate::terminal::escape;

/// Scenarios side by side in one trial.
const JOBS: usize = 2;

/// Trials side by side where the machine does not tell its cores.
const LANES_DEFAULT: usize = 2;

/// Exit 1 where a defect survived, a gating row has no killer, something sound failed, or what is no
/// service was blessed.
pub(super) fn selftest(arguments: SelftestArguments, screen: &Screen) -> Result<u8, Failure> {
    let files: Vec<&str> = arguments.reports.iter().map(|report| report.file.as_str()).collect();
    artefact::check_files(&files)?;
    let ids = || defect::all().iter().map(|defect| defect.id.as_str());
    if let Some(id) = arguments.defects.iter().find(|id| defect::named(id).is_none()) {
        return Err(Failure::usage(format!("there is no defect `{id}`")).nearest(alike(id, ids())));
    }
    if let Some(target) = &arguments.target {
        return deployed(target, &arguments, screen);
    }
    let (bench, progress) = bench(&arguments, screen)?;
    let outcome = runtime()?.block_on(tested(&bench, &arguments, &progress));
    progress.end();
    let outcome = outcome?;
    for report in &arguments.reports {
        written(report, &outcome, screen)?;
    }
    let is_stdout_taken = arguments.reports.iter().any(|report| report.file == STDOUT);
    let shown = match screen.is_json() {
        true => escape::json(&format!("{:#}\n", json!(outcome))),
        false if is_stdout_taken => text::text(&outcome, screen.paint_err(), screen.detail()),
        false => text::text(&outcome, screen.paint(), screen.detail()),
    };
    if is_stdout_taken {
        screen.note(&shown)?
    } else {
        screen.print(&shown)?
    }
    Ok(u8::from(!outcome.is_proven()))
}

/// What the trials share, and the line that shows them.
pub(super) fn bench(
    arguments: &SelftestArguments,
    screen: &Screen,
) -> Result<(Bench, Progress), Failure> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let lanes = std::thread::available_parallelism().map_or(LANES_DEFAULT, |cores| cores.get() * 2);
    let progress = Progress::new(screen.shows_progress());
    let told = progress.clone();
    let bench = Bench { files, lanes, jobs: JOBS, tell: Arc::new(move |name| told.done(name)) };
    Ok((bench, progress))
}

fn written(report: &SelftestReport, outcome: &Outcome, screen: &Screen) -> Result<(), Failure> {
    let content = match report.kind {
        SelftestKind::Json => escape::json(&format!("{:#}\n", json!(outcome))),
        SelftestKind::Html => page::page(outcome).map_err(Failure::fault)?,
        // A page that is not there, or can't be read, has no markers to be kept.
        SelftestKind::Markdown => {
            markdown::page(outcome, fs::read_to_string(&report.file).ok().as_deref())
        }
    };
    if report.file == STDOUT {
        return screen.print(&content);
    }
    fs::write(&report.file, content)
        .map_err(|error| Failure::fault(format!("{} can't be written: {error}", report.file)))
}

async fn tested(
    bench: &Bench,
    arguments: &SelftestArguments,
    progress: &Progress,
) -> Result<Outcome, Failure> {
    let chosen = defect::all().iter().filter(|it| arguments.is_chosen(&it.id));
    let chosen: Vec<&Defect> = chosen.collect();
    let seeds = usize::try_from(arguments.seeds).unwrap_or(usize::MAX);
    let drawn = seeds.saturating_add(alone_count(arguments.seeds));
    progress.expect(chosen.len().saturating_add(drawn).saturating_add(DEGENERATE_COUNT));
    let is_whole = chosen.len() == defect::all().len();
    let defects = defects::defects(bench, chosen, arguments.thorough).await;
    let latitude = latitude::combined(bench, arguments.seeds).await;
    let alone = alone(bench, arguments.seeds, arguments.thorough).await;
    let degenerate = degenerate::degenerate(bench).await.map_err(|error| {
        Failure::fault(format!("a target of the self-test can't be made: {error}"))
    })?;
    Ok(Outcome {
        version: env!("CARGO_PKG_VERSION"),
        is_thorough: arguments.thorough,
        is_whole,
        matrix: matrix::matrix(&bench.files, &defects),
        defects,
        latitude,
        alone,
        degenerate,
    })
}
