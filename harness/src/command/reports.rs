//! `--report KIND=FILE`: which reports are written, and where.

use std::fs;
use std::path::Path;

use super::error::CommandError;
use super::screen::Screen;
use crate::masks::Secrets;
use crate::report::{Format, render};
use crate::result::RunResult;

/// The file name that means stdout.
const STDOUT: &str = "-";

/// `KIND=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub(super) format: Format,
    /// `-` is stdout.
    pub(super) file: String,
}

/// `KIND=FILE` of a run.
pub(super) fn run_report(text: &str) -> Result<ReportRequest, String> {
    let (kind, file) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is not KIND=FILE, such as `html=report.html`"))?;
    if file.is_empty() {
        return Err("the file is missing; `-` is stdout".to_owned());
    }
    Ok(ReportRequest { format: kind.parse()?, file: file.to_owned() })
}

/// `KIND=FILE` of a comparison.
pub(super) fn comparison_report(text: &str) -> Result<ReportRequest, String> {
    report_in(text, &[Format::Text, Format::Json, Format::Html])
}

/// `KIND=FILE` of an exploration.
pub(super) fn exploration_report(text: &str) -> Result<ReportRequest, String> {
    report_in(text, &[Format::Text, Format::Json, Format::Junit, Format::Html, Format::Markdown])
}

/// `KIND=FILE` of the conduct of a client.
pub(super) fn conduct_report(text: &str) -> Result<ReportRequest, String> {
    report_in(text, &[Format::Text, Format::Json])
}

/// `KIND=FILE` of a self-test.
pub(super) fn selftest_report(text: &str) -> Result<ReportRequest, String> {
    report_in(text, &[Format::Json, Format::Html, Format::Markdown])
}

fn report_in(text: &str, formats: &[Format]) -> Result<ReportRequest, String> {
    let request = run_report(text)?;
    if formats.contains(&request.format) {
        return Ok(request);
    }
    let formats: Vec<String> = formats.iter().map(ToString::to_string).collect();
    Err(format!("there is no {} report here, only {}", request.format, formats.join(", ")))
}

impl ReportRequest {
    /// Whether it goes to stdout.
    pub(super) fn is_stdout(&self) -> bool {
        self.file == STDOUT
    }

    /// Writes this text.
    ///
    /// # Errors
    /// The file or stdout can't be written.
    pub(super) fn write(&self, text: &str, screen: &Screen) -> Result<(), CommandError> {
        if self.is_stdout() { screen.print(text) } else { write_file(Path::new(&self.file), text) }
    }

    /// Renders a run and writes it.
    ///
    /// # Errors
    /// It can't be rendered or written.
    pub(super) fn write_run(
        &self,
        result: &RunResult,
        screen: &Screen,
    ) -> Result<(), CommandError> {
        let mut options = screen.text_options(false);
        // Colour is for the terminal, never for a file.
        options.color &= self.is_stdout();
        self.write(&render(self.format, result, &[], options)?, screen)
    }
}

/// Whether one of the reports goes to stdout.
pub(super) fn take_stdout(requests: &[ReportRequest]) -> bool {
    requests.iter().any(ReportRequest::is_stdout)
}

/// Refuses reports that could not be written, before anything is sent.
///
/// # Errors
/// Two reports in one place, or as [`check_file`].
pub(super) fn check(requests: &[ReportRequest]) -> Result<(), CommandError> {
    for (index, request) in requests.iter().enumerate() {
        if requests[..index].iter().any(|earlier| earlier.file == request.file) {
            let place = if request.is_stdout() { "stdout" } else { &request.file };
            return Err(CommandError::usage(format!("two reports go to {place}")));
        }
        if !request.is_stdout() {
            check_file(Path::new(&request.file))?;
        }
    }
    Ok(())
}

/// Refuses a file that can't be written. An existing file stays as it is.
///
/// # Errors
/// The path is a folder, its folder does not exist, or it can't be opened.
pub(super) fn check_file(file: &Path) -> Result<(), CommandError> {
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
        // Opening it was only a test. If it can't be removed, the report replaces it later.
        let _ = fs::remove_file(file);
    }
    opened
        .map(drop)
        .map_err(|error| CommandError::usage(format!("{shown} can't be written: {error}")))
}

/// Writes a file in which no secret of the run may be; `what` names it in the error.
///
/// # Errors
/// It holds a secret, or it can't be written.
pub(super) fn write_without_secrets(
    file: &Path,
    text: &str,
    what: &str,
    secrets: &Secrets,
) -> Result<(), CommandError> {
    if secrets.is_in(text) {
        let shown = file.display();
        return Err(CommandError::fault(format!(
            "{what} would hold a secret of the target, so {shown} was not written"
        )));
    }
    write_file(file, text)
}

/// Writes a file.
///
/// # Errors
/// It can't be written.
pub(super) fn write_file(file: &Path, text: &str) -> Result<(), CommandError> {
    fs::write(file, text).map_err(|error| {
        CommandError::fault(format!("{} can't be written: {error}", file.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::{comparison_report, run_report};

    #[test]
    fn a_report_is_kind_and_file() {
        for (text, expected) in [
            ("html=a.html", true),
            ("json=-", true),
            ("junit=a=b.xml", true),
            ("html", false),
            ("html=", false),
            ("pdf=a.pdf", false),
        ] {
            assert_eq!(run_report(text).is_ok(), expected, "{text}");
        }
        assert!(comparison_report("junit=a.xml").is_err());
    }
}
