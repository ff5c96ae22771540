//! `--report KIND=FILE` and `--report github`: checks and writes the reports that the user requests.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use clap::Args;
use moot_snapshots::Bundle;

use super::error::{CommandError, FAULT};
use super::files;
use super::screen::Screen;
use crate::exchange::masks::Secrets;
use crate::report::terminal::paint;
use crate::report::{Format, render};
use crate::verdict::result::RunResult;

/// The file name that means stdout.
const STDOUT: &str = "-";

/// Environment variable with the file for the job summary of a GitHub workflow.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Texts by which a file of Moot is recognised. A text report, an event stream, the cases of `moot explore` and an
/// answers file begin with theirs.
const TEXT_MARK: &str = concat!("moot ", env!("CARGO_PKG_VERSION_MAJOR"), ".");
const EVENT_MARK: &str = "{\"event\":";
const CASES_MARK: &str = "# The smallest cases that `moot explore";
const ANSWERS_MARK: &str = "# Written by moot ";
/// JSON, JUnit, HTML and Markdown contain theirs.
const MARKS: [&str; 4] = [
    "\"moot_version\":",
    "<testsuites name=\"moot\"",
    "<meta name=\"generator\" content=\"moot",
    "<!-- moot ",
];

/// A value of `--report`: `KIND=FILE`, or `github`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub(super) format: Format,
    /// `-` is stdout; empty for `github`.
    pub(super) file: String,
}

/// The option to replace files.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ReplaceArguments {
    /// Replace files that exist even if Moot did not write them
    #[arg(long)]
    pub(super) force: bool,
}

/// Parses `KIND=FILE` or `github`, for a run.
pub(super) fn run_report(text: &str) -> Result<ReportRequest, String> {
    if text == Format::Github.as_str() {
        return Ok(ReportRequest { format: Format::Github, file: String::new() });
    }
    let (kind, file) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not KIND=FILE, such as `html=report.html`"))?;
    if file.is_empty() {
        return Err("the file is missing; `-` is stdout".to_owned());
    }
    match kind.parse()? {
        Format::Github => Err(format!(
            "`github` takes no file: it prints annotations, and appends to the file of {SUMMARY}"
        )),
        format => Ok(ReportRequest { format, file: file.to_owned() }),
    }
}

/// A parser of `KIND=FILE` for a command that writes these kinds.
pub(super) fn report_of(
    formats: &'static [Format],
) -> impl Fn(&str) -> Result<ReportRequest, String> + Clone {
    move |text| match text.split_once('=') {
        Some((kind, _)) => has_format(kind, formats).and_then(|()| run_report(text)),
        None => {
            run_report(text).and_then(|it| has_format(it.format.as_str(), formats).map(|()| it))
        }
    }
}

fn has_format(kind: &str, formats: &[Format]) -> Result<(), String> {
    let formats: Vec<&str> = formats.iter().map(|format| format.as_str()).collect();
    match formats.contains(&kind) {
        true => Ok(()),
        false => Err(format!("there is no {kind} report here, only {}", formats.join(", "))),
    }
}

impl ReportRequest {
    /// Whether the report goes to stdout.
    pub(super) fn is_stdout(&self) -> bool {
        self.file == STDOUT
    }

    /// Writes the text of the report.
    ///
    /// # Errors
    /// The file or stdout can't be written.
    pub(super) fn write(&self, text: &str, screen: &Screen) -> Result<(), CommandError> {
        if self.is_stdout() {
            return screen.print(text);
        }
        let file = Path::new(&self.file);
        if self.format != Format::Text {
            return write_file(file, text);
        }
        // A file never has colours.
        let mut text = paint::plain(text);
        if !text.starts_with(TEXT_MARK) {
            // The mark allows the next report to replace the file.
            text.insert_str(0, &format!("moot {}\n\n", env!("CARGO_PKG_VERSION")));
        }
        write_file(file, &text)
    }

    /// Renders the report of a run, and writes it.
    ///
    /// # Errors
    /// It can't be rendered or written.
    pub(super) fn write_run(
        &self,
        result: &RunResult,
        is_stdout_taken: bool,
        screen: &Screen,
    ) -> Result<(), CommandError> {
        let detail = screen.detail();
        if self.format == Format::Github {
            let annotations = render(self.format, result, detail)?;
            screen.print_beside(is_stdout_taken || screen.is_json(), &annotations)?;
            return match summary_file() {
                Some(file) => append(&file, &render(Format::Markdown, result, detail)?),
                None => screen.note(&format!("no job summary was written: {SUMMARY} is not set\n")),
            };
        }
        self.write(&render(self.format, result, detail)?, screen)
    }
}

/// The file of the job summary.
fn summary_file() -> Option<OsString> {
    std::env::var_os(SUMMARY).filter(|file| !file.is_empty())
}

fn append(file: &OsString, text: &str) -> Result<(), CommandError> {
    let opened = fs::OpenOptions::new().append(true).create(true).open(file);
    opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        let shown = Path::new(file).display();
        CommandError::fault(format!("{shown} ({SUMMARY}) cannot be written: {error}"))
    })
}

/// Writes all reports, and prints the one for the terminal: JSON or text, on stderr if a report goes to stdout.
///
/// # Errors
/// Some reports could not be rendered or written. All others are written.
pub(super) fn publish(
    requests: &[ReportRequest],
    screen: &Screen,
    render: impl Fn(&ReportRequest) -> Result<String, CommandError>,
) -> Result<(), CommandError> {
    let written = write_all(requests, screen, &render);
    let is_stdout_taken = take_stdout(requests);
    let format = if screen.is_json() { Format::Json } else { Format::Text };
    let shown = ReportRequest { format, file: STDOUT.to_owned() };
    let text = render(&shown);
    join_errors([written, text.and_then(|text| screen.print_beside(is_stdout_taken, &text))])
}

/// Writes all reports.
///
/// # Errors
/// As [`publish`].
pub(super) fn write_all(
    requests: &[ReportRequest],
    screen: &Screen,
    render: impl Fn(&ReportRequest) -> Result<String, CommandError>,
) -> Result<(), CommandError> {
    join_errors(requests.iter().map(|it| it.write(&render(it)?, screen)))
}

/// Joins all errors into one.
pub(super) fn join_errors(
    written: impl IntoIterator<Item = Result<(), CommandError>>,
) -> Result<(), CommandError> {
    let failures = written.into_iter().filter_map(|written| Some(written.err()?.message));
    let failures: Vec<String> = failures.collect();
    if failures.is_empty() { Ok(()) } else { Err(CommandError::fault(failures.join("; "))) }
}

/// Refuses reports of other formats than these, where the options allow more.
pub(super) fn check_formats(
    requests: &[ReportRequest],
    formats: &[Format],
) -> Result<(), CommandError> {
    let mut checked = requests.iter().map(|request| has_format(request.format.as_str(), formats));
    checked.try_for_each(|checked| checked.map_err(CommandError::usage))
}

/// Whether one of the reports goes to stdout.
pub(super) fn take_stdout(requests: &[ReportRequest]) -> bool {
    requests.iter().any(ReportRequest::is_stdout)
}

/// Refuses reports that can't be written, before anything is sent.
///
/// # Errors
/// Two reports go to the same place, a file exists that Moot did not write, or as [`check_file`].
pub(super) fn check(
    requests: &[ReportRequest],
    replace: ReplaceArguments,
) -> Result<(), CommandError> {
    for (index, request) in requests.iter().enumerate() {
        if requests[..index].iter().any(|earlier| earlier.file == request.file) {
            let place = match request.format {
                Format::Github => "the job summary",
                _ if request.is_stdout() => "stdout",
                _ => &request.file,
            };
            return Err(CommandError::usage(format!("two reports go to {place}")));
        }
        if request.format == Format::Github {
            summary_file().map_or(Ok(()), |file| check_file(Path::new(&file)))?;
        } else if !request.is_stdout() {
            check_replaceable(Path::new(&request.file), replace)?;
        }
    }
    Ok(())
}

/// Refuses the file of another option that can't be written, or that one of the reports replaces.
///
/// # Errors
/// A report goes to it too, or as [`check`].
pub(super) fn check_beside(
    file: &Path,
    requests: &[ReportRequest],
    replace: ReplaceArguments,
) -> Result<(), CommandError> {
    if requests.iter().any(|request| Path::new(&request.file) == file) {
        let shown = file.display();
        return Err(CommandError::usage(format!("{shown} is named twice as a file to write")));
    }
    check_replaceable(file, replace)
}

fn check_replaceable(file: &Path, replace: ReplaceArguments) -> Result<(), CommandError> {
    check_file(file)?;
    if replace.force { Ok(()) } else { check_ours(file) }
}

/// Refuses to replace a file that Moot did not write.
///
/// # Errors
/// It did not write the file, or the file can't be read.
pub(super) fn check_ours(file: &Path) -> Result<(), CommandError> {
    // A device or a pipe has nothing to lose.
    if !file.metadata().is_ok_and(|it| it.is_file()) {
        return Ok(());
    }
    let content = fs::read(file).map_err(|error| files::unreadable(file, &error))?;
    if is_ours(&String::from_utf8_lossy(&content)) {
        return Ok(());
    }
    Err(CommandError::usage(format!("{} exists, and Moot did not write it", file.display()))
        .help("name another file, or replace it with --force"))
}

/// Whether this is the content of a file of Moot, or empty.
fn is_ours(content: &str) -> bool {
    content.trim().is_empty()
        || content.starts_with(TEXT_MARK)
        || content.starts_with(EVENT_MARK)
        || content.starts_with(CASES_MARK)
        || content.starts_with(ANSWERS_MARK)
        || MARKS.iter().any(|mark| content.contains(mark))
        || Bundle::from_text(content).is_ok()
}

/// Refuses a file that can't be written. An existing file stays as it is.
///
/// # Errors
/// The path is a folder, its folder does not exist, or it can't be opened.
fn check_file(file: &Path) -> Result<(), CommandError> {
    let shown = file.display();
    if file.is_dir() {
        return Err(CommandError::usage(format!("{shown} is a folder, not a file")));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(CommandError::usage(format!("there is no folder {}", folder.display()))
            .help(format!("create it, so that {shown} can be written")));
    }
    let is_new = !file.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(file);
    if is_new && opened.is_ok() {
        // The file was opened as a test. If it can't be removed, the report replaces it later.
        let _ = fs::remove_file(file);
    }
    opened.map(drop).map_err(|error| files::unwritable(file, &error))
}

/// Writes a file, unless it contains a secret of the run. `what` names it in the error.
///
/// # Errors
/// It contains a secret, or it can't be written.
pub(super) fn write_without_secrets(
    file: &Path,
    text: &str,
    what: &str,
    secrets: &Secrets,
) -> Result<(), CommandError> {
    if secrets.is_in(text) {
        let shown = file.display();
        return Err(CommandError::fault(format!(
            "{what} would contain a secret of the target, so {shown} was not written"
        )));
    }
    write_file(file, text)
}

fn write_file(file: &Path, text: &str) -> Result<(), CommandError> {
    files::write_file(file, text).map_err(|error| error.exit(FAULT))
}

#[cfg(test)]
mod tests {
    use super::{Format, is_ours, report_of, run_report};

    #[test]
    fn a_report_is_kind_and_file() {
        for (text, expected) in [
            ("html=a.html", true),
            ("json=-", true),
            ("junit=a=b.xml", true),
            ("html", false),
            ("html=", false),
            ("pdf=a.pdf", false),
            ("github", true),
            ("github=a.md", false),
        ] {
            assert_eq!(run_report(text).is_ok(), expected, "{text}");
        }
        let comparison_report = report_of(&[Format::Text, Format::Json, Format::Html]);
        assert!(comparison_report("junit=a.xml").is_err());
        assert!(comparison_report("github").is_err());
    }

    #[test]
    fn a_report_is_known_by_its_mark() {
        for (content, expected) in [
            ("", true),
            (" \n", true),
            ("moot 0.1.0 judges by interface 1.0.0\n", true),
            ("{\"event\":\"planned\",\"scenarios\":1}\n", true),
            ("{\n  \"schema_version\": 1,\n  \"moot_version\": \"0.1.0\"\n}", true),
            ("moot run --target staging.yaml\n", false),
            ("# Notes\n", false),
            ("{\"version\": 1}", false),
            ("<!doctype html><title>x</title>", false),
        ] {
            assert_eq!(is_ours(content), expected, "{content}");
        }
    }
}
