//! Writing the reports that were asked for.

use std::fs;
use std::path::Path;

use super::failure::{Failure, USAGE};
use super::line::ReportRequest;
use super::run::{STDOUT, is_stdout};
use super::screen::Screen;
use super::stream::Streams;
use crate::answers::Observed;
use crate::masks::Secrets;
use crate::report::{Format, render};
use crate::result::RunResult;
use crate::run::Kept;

/// Refuses what could not be written, before anything is sent.
///
/// # Errors
/// Two reports for one place, a folder that is not there, a file that is one.
pub(super) fn check(requests: &[ReportRequest]) -> Result<(), Failure> {
    check_files(&requests.iter().map(|request| request.file.as_str()).collect::<Vec<_>>())
}

/// As [`check`], of the places alone; `-` is stdout.
///
/// # Errors
/// As [`check`].
pub(super) fn check_files(files: &[&str]) -> Result<(), Failure> {
    for (index, file) in files.iter().enumerate() {
        if files[..index].contains(file) {
            let place = if *file == STDOUT { "stdout" } else { file };
            return Err(Failure::usage(format!("two reports go to {place}")));
        }
        if *file == STDOUT {
            continue;
        }
        check_file(Path::new(file))?;
    }
    Ok(())
}

/// What a run has to keep for these reports, and for that on the screen: only the page shows what nobody
/// complained about, programs are told all checks, and with `-v` the exchange of a warning is shown.
pub(super) fn kept(requests: &[ReportRequest], screen: &Screen) -> Kept {
    let formats = || requests.iter().map(|request| request.format);
    let lists_checks = |format| match format {
        Format::Json | Format::Junit | Format::Html => true,
        Format::Text | Format::Markdown | Format::Ndjson => false,
    };
    if formats().any(|format| format == Format::Html) {
        Kept::Beginning
    } else if screen.is_json() || screen.is_verbose() || formats().any(lists_checks) {
        Kept::Outline
    } else {
        Kept::Counts
    }
}

/// Refuses a file that can't be written; what is there stays as it is.
///
/// # Errors
/// A folder that is not there, a file that is one, or that can't be opened.
pub(super) fn check_file(file: &Path) -> Result<(), Failure> {
    let shown = file.display();
    if file.is_dir() {
        return Err(Failure::usage(format!("{shown} is a folder, no file")));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::usage(format!("there is no folder {}", folder.display()))
            .help(format!("make it, so that {shown} can be written")));
    }
    let is_new = !file.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(file);
    if is_new && opened.is_ok() {
        // It was made to see that it can be; where it stays, the report takes its place.
        let _ = fs::remove_file(file);
    }
    opened.map(drop).map_err(|error| Failure::usage(format!("{shown} can't be written: {error}")))
}

/// Writes every report and prints the one for the terminal: JSON where that was asked for, else text;
/// on stderr where another report has stdout.
///
/// # Errors
/// All reports that could not be made or written, after the others were; and what was wrong with the
/// line or a file, which is no result and therefore stands on stderr.
pub(super) fn publish(
    result: &RunResult,
    streams: Streams,
    requests: &[ReportRequest],
    screen: &Screen,
) -> Result<(), Failure> {
    let mut failures: Vec<String> = Vec::new();
    let mut note = |outcome: Result<(), Failure>| {
        failures.extend(outcome.err().map(|failure| failure.message));
    };
    note(streams.finish(result));
    for request in requests.iter().filter(|request| request.format != Format::Ndjson) {
        note(write(result, request, screen));
    }
    let refusal = result.trouble.as_deref().filter(|_| result.exit_code == USAGE);
    if refusal.is_none() || screen.is_json() {
        note(show(result, requests.iter().any(is_stdout), screen));
    }
    match (failures.is_empty(), refusal) {
        (false, _) => Err(Failure::fault(failures.join("; "))),
        (true, Some(refusal)) => Err(Failure::usage(refusal)),
        (true, None) => Ok(()),
    }
}

/// Writes the answers file of a run.
///
/// # Errors
/// A secret of the run stands in it, or it can't be written.
pub(super) fn save_answers(result: &RunResult, file: &Path) -> Result<(), Failure> {
    let text = Observed::of_run(&result.answers).to_text();
    let shown = file.display();
    if Secrets::of(&result.masks).is_in(&text) {
        return Err(Failure::fault(format!(
            "the answers hold a secret of the run, and {shown} was not written"
        )));
    }
    fs::write(file, text)
        .map_err(|error| Failure::fault(format!("{shown} can't be written: {error}")))
}

fn show(result: &RunResult, is_stdout_taken: bool, screen: &Screen) -> Result<(), Failure> {
    let format = if screen.is_json() { Format::Json } else { Format::Text };
    let text = render(format, result, &[], screen.text_options(is_stdout_taken))?;
    if is_stdout_taken { screen.note(&text) } else { screen.print(&text) }
}

/// Writes one report.
///
/// # Errors
/// It can't be made or written.
pub(super) fn write(
    result: &RunResult,
    request: &ReportRequest,
    screen: &Screen,
) -> Result<(), Failure> {
    let mut options = screen.text_options(false);
    // A file keeps no colour; the terminal may.
    options.color &= is_stdout(request);
    let text = render(request.format, result, &[], options)?;
    if is_stdout(request) {
        return screen.print(&text);
    }
    fs::write(&request.file, text)
        .map_err(|error| Failure::fault(format!("{} can't be written: {error}", request.file)))
}
