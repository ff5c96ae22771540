//! Performs a run with progress and event streams, and publishes its result: for `moot run` and `moot judge`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::error::{CommandError, USAGE};
use super::event_stream::{self, EventStream};
use super::plan_estimate;
use super::progress::Progress;
use super::reports::{self, ReplaceArguments, ReportRequest, run_report, take_stdout};
use super::runtime::{random_seed, runtime};
use super::screen::Screen;
use super::signals::{RUN_ENDS, with_interruption};
use crate::client::answers::AnswersEvidence;
use crate::exchange::escape;
use crate::exchange::masks::Secrets;
use crate::report::terminal::Detail;
use crate::report::{Format, render};
use crate::run::environment::TargetChoice;
use crate::run::part::{PartScope, RunPart};
use crate::run::{self, Interruption, RunOptions};
use crate::scenario::plan::select as plan_of;
use crate::verdict::pluralize;
use crate::verdict::result::{Event, RunResult};

/// The options for judging responses and reporting the result.
#[derive(Debug, Args)]
pub(super) struct JudgingArguments {
    /// A broken MUST of a standard that the specification refers to is a failure, not a warning
    #[arg(long)]
    pub(super) strict: bool,
    /// Expected failures, instead of those that the target file names (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    pub(super) expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html, markdown or ndjson (one line per event, during the
    /// run); `-` is stdout; repeatable. `github` prints annotations of a workflow, and appends the Markdown
    /// report to the job summary
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = run_report)]
    pub(super) reports: Vec<ReportRequest>,
    #[command(flatten)]
    pub(super) replace: ReplaceArguments,
}

/// Performs a run. Sends its events to the streams as they happen.
///
/// # Errors
/// The runtime can't start, or a second signal arrived.
pub(super) fn perform(
    options: RunOptions,
    streams: &[EventStream],
    screen: &Screen,
) -> Result<RunResult, CommandError> {
    Ok(match perform_part(options, streams, screen)? {
        Ok(part) => part.concluded(PartScope::Whole),
        Err(unopened) => *unopened,
    })
}

/// As [`perform`], but returns the part of a run or of a shard, before known failures are applied. The inner error is
/// the result of a run whose target could not be opened.
///
/// # Errors
/// As [`perform`].
pub(super) fn perform_part(
    mut options: RunOptions,
    streams: &[EventStream],
    screen: &Screen,
) -> Result<Result<RunPart, Box<RunResult>>, CommandError> {
    let work = plan_estimate::of_run(&mut options);
    let pace_wait = Arc::clone(&options.target.pace_wait);
    let progress = Progress::of_run(screen.progress_display(), work, pace_wait);
    progress.start(&head(&options));
    let (bar, send) = (progress.clone(), event_stream::sender(streams, &options.masks));
    let interruption = Arc::new(Interruption::default());
    let run = run::run_part(options, Arc::clone(&interruption), move |event: Event| {
        bar.show(&event);
        send(&event);
    });
    let tell = || progress.note(RUN_ENDS);
    let result = runtime()?.block_on(with_interruption(run, &interruption, tell));
    progress.end();
    result
}

/// `moot 0.1.0: 217 scenarios at staging, seed 7`.
fn head(options: &RunOptions) -> String {
    let planned = match &options.only {
        Some(only) => only.len(),
        None => plan_of(&options.files, &options.selectors).map_or(0, |planned| planned.len()),
    };
    let target = match &options.choice {
        TargetChoice::InProcess | TargetChoice::InProcessDeployment => {
            "the mock in this process".to_owned()
        }
        TargetChoice::Http(file) => file.name.clone(),
        TargetChoice::Recording(path) => path.display().to_string(),
        TargetChoice::Wrong { name, .. } => name.clone(),
    };
    let scenarios = pluralize(planned, "scenario");
    let (version, seed) = (env!("CARGO_PKG_VERSION"), options.target.seed);
    escape::line(&format!("moot {version}: {scenarios} at {target}, seed {seed}"))
}

/// Whether a report or the screen lists every check, or needs its exchange.
pub(super) fn lists_checks(requests: &[ReportRequest], screen: &Screen) -> bool {
    screen.is_json()
        || screen.detail() == Detail::Verbose
        || requests.iter().any(|request| match request.format {
            // An annotation of a warning has the place of its check.
            Format::Json | Format::Junit | Format::Html | Format::Github => true,
            Format::Text | Format::Markdown | Format::Ndjson => false,
        })
}

/// Writes every report, and prints the one for the terminal: JSON or text, on stderr if another report
/// goes to stdout. `written` has the errors of other files.
///
/// # Errors
/// Some reports or other files could not be written; all others are written. Or the run ended with a usage error, which
/// is printed as an error because there is no result.
pub(super) fn publish(
    result: &RunResult,
    streams: Vec<EventStream>,
    requests: &[ReportRequest],
    mut written: Vec<Result<(), CommandError>>,
    screen: &Screen,
) -> Result<(), CommandError> {
    written.push(event_stream::finish(streams, result));
    let rendered = requests.iter().filter(|request| request.format != Format::Ndjson);
    let is_stdout_taken = take_stdout(requests);
    written.extend(rendered.map(|it| it.write_run(result, is_stdout_taken, screen)));
    let refusal = result.trouble.as_deref().filter(|_| result.exit_code() == USAGE);
    if refusal.is_none() || screen.is_json() {
        written.push(show(result, requests, screen));
    }
    reports::join_errors(written)?;
    refusal.map_or(Ok(()), |refusal| Err(CommandError::usage(refusal)))
}

fn show(
    result: &RunResult,
    requests: &[ReportRequest],
    screen: &Screen,
) -> Result<(), CommandError> {
    let is_stdout_taken = take_stdout(requests);
    let format = if screen.is_json() { Format::Json } else { Format::Text };
    let mut text = render(format, result, screen.detail())?;
    let is_github = requests.iter().any(|request| request.format == Format::Github);
    if is_github && format == Format::Text {
        // The text quotes the target. Its responses must not be read as commands of the workflow.
        let end = format!("moot-{:016x}", random_seed());
        text = format!("::stop-commands::{end}\n{text}::{end}::\n");
    }
    screen.print_beside(is_stdout_taken, &text)
}

/// Writes the answers file of a run, if there is to be one.
///
/// # Errors
/// It would contain a secret of the run, or it can't be written.
pub(super) fn save_answers(result: &RunResult, file: Option<&Path>) -> Result<(), CommandError> {
    let Some(file) = file else { return Ok(()) };
    let text = AnswersEvidence::of_run(&result.answers).to_text();
    reports::write_without_secrets(file, &text, "the answers", &Secrets::of(&result.masks))
}
