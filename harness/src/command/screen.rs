//! The output of commands: results on stdout, errors and progress on stderr.

use std::ffi::OsString;
use std::io::{self, IsTerminal, StderrLock, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::error::CommandError;
use super::progress::ProgressDisplay;
use crate::exchange::escape;
use crate::report::terminal::{Detail, paint};
use crate::verdict::Verdict;

/// The options of every command.
#[derive(Debug, Args)]
pub(super) struct ScreenArguments {
    /// Text for people, JSON for programs
    #[arg(long, global = true, value_enum, default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    /// Colour; `auto` depends on the terminal and on NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = clap::ColorChoice::Auto)]
    color: clap::ColorChoice,
    /// Print only findings and the outcome
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print every scenario, with more detail
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    Text,
    Json,
}

/// The output settings of this process.
#[derive(Clone)]
pub(super) struct Screen {
    format: OutputFormat,
    color_out: ColorChoice,
    color_err: ColorChoice,
    detail: Detail,
}

impl Screen {
    pub(super) fn new(arguments: &ScreenArguments) -> Self {
        let choose = |automatic: ColorChoice| match arguments.color {
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
            clap::ColorChoice::Auto => automatic,
        };
        let detail = match (arguments.quiet, arguments.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        };
        Self {
            format: arguments.format,
            color_out: choose(AutoStream::choice(&io::stdout())),
            color_err: choose(AutoStream::choice(&io::stderr())),
            detail,
        }
    }

    /// Whether JSON was asked for.
    pub(super) fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Whether `-v` was given.
    pub(super) fn is_verbose(&self) -> bool {
        self.detail == Detail::Verbose
    }

    /// How much is printed.
    pub(super) fn detail(&self) -> Detail {
        self.detail
    }

    /// Whether stdout has colour.
    pub(super) fn color(&self) -> bool {
        self.color_out != ColorChoice::Never
    }

    /// Stdout. It removes colours if it should have none.
    pub(super) fn out(&self) -> AutoStream<StdoutLock<'static>> {
        AutoStream::new(io::stdout().lock(), self.color_out)
    }

    fn err(&self) -> AutoStream<StderrLock<'static>> {
        AutoStream::new(io::stderr().lock(), self.color_err)
    }

    /// Whether progress is shown as a bar: on a terminal, without -q and without JSON.
    pub(super) fn shows_progress(&self) -> bool {
        self.progress_display() == ProgressDisplay::Bar
    }

    /// How the progress of a run is shown: as a bar on a terminal, else as lines; hidden with -q and JSON.
    pub(super) fn progress_display(&self) -> ProgressDisplay {
        if self.detail == Detail::Quiet || self.is_json() {
            ProgressDisplay::Hidden
        } else if io::stderr().is_terminal() {
            ProgressDisplay::Bar
        } else {
            ProgressDisplay::Lines
        }
    }

    /// Prints a text to stdout.
    ///
    /// # Errors
    /// Stdout can't be written. A closed pipe is not an error.
    pub(super) fn print(&self, text: &str) -> Result<(), CommandError> {
        put(&mut self.out(), text)
    }

    /// Prints a text to stderr.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn note(&self, text: &str) -> Result<(), CommandError> {
        put(&mut self.err(), text)
    }

    /// Prints a text to stdout, or to stderr if a report goes to stdout.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn print_beside(
        &self,
        is_stdout_taken: bool,
        text: &str,
    ) -> Result<(), CommandError> {
        if is_stdout_taken { self.note(text) } else { self.print(text) }
    }

    /// Prints a result to stdout: as JSON, or as text.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn show(
        &self,
        json: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> Result<(), CommandError> {
        if self.is_json() { self.json(&json()) } else { self.print(&text()) }
    }

    /// Prints indented JSON to stdout.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn json(&self, value: &Value) -> Result<(), CommandError> {
        self.print(&format!("{}\n", escape::json(&format!("{value:#}"))))
    }

    /// Prints an error to stderr.
    pub(super) fn error(&self, error: &CommandError) {
        if self.is_json() {
            return print_json_error(error);
        }
        let mut text = format!(
            "{} {}\n",
            paint::verdict(Verdict::Fail, "error:"),
            escape::block(&error.message)
        );
        if let Some(help) = &error.help {
            text.push_str(&format!("{} {}\n", paint::bold("help:"), escape::block(help)));
        }
        // If stderr is closed too, only the exit code remains.
        let _ = self.err().write_all(text.as_bytes());
    }
}

/// Whether a command line that clap refused asks for JSON.
pub(super) fn wants_json(arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments
        .iter()
        .take_while(|word| *word != "--")
        .map(|word| word.to_str().unwrap_or_default())
        .collect();
    words.contains(&"--format=json") || words.windows(2).any(|it| it == ["--format", "json"])
}

/// Prints an error to stderr, as one line of JSON.
pub(super) fn print_json_error(error: &CommandError) {
    let CommandError { message, help, exit_code } = error;
    let shape = json!({ "error": message, "help": help, "exit_code": exit_code });
    let line = format!("{}\n", escape::json(&shape.to_string()));
    // If stderr is closed too, only the exit code remains.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

fn put(stream: &mut impl Write, text: &str) -> Result<(), CommandError> {
    write_to_reader(stream, text)
        .map_err(|error| CommandError::fault(format!("the output cannot be written: {error}")))
}

/// Writes a text. A closed pipe is not an error: its reader needs no more.
pub(super) fn write_to_reader(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
