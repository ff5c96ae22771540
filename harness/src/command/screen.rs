//! The output of commands: results on stdout, errors and progress on stderr.

use std::ffi::OsString;
use std::io::{self, IsTerminal, StderrLock, StdoutLock, Write};

use anstream::AutoStream;
use anstream::stream::RawStream;
use clap::{Args, ColorChoice};
use serde::Serialize;
use serde_json::{Value, json};

use super::error::CommandError;
use super::progress::ProgressDisplay;
use crate::exchange::escape;
use crate::report::terminal::{Detail, paint};
use crate::verdict::Verdict;

/// The output of this process, by the options of every command.
#[derive(Debug, Clone, Args)]
pub(super) struct Screen {
    /// Text for people, JSON for programs
    #[arg(long, global = true, value_parser = [TEXT, JSON], default_value = TEXT)]
    format: String,
    /// Colour; `auto` depends on the terminal and on NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Print only findings and the outcome
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print every scenario, with more detail
    #[arg(short, long, global = true)]
    verbose: bool,
}

/// The values of `--format`.
const TEXT: &str = "text";
const JSON: &str = "json";

impl Screen {
    /// Whether JSON was asked for.
    pub(super) fn is_json(&self) -> bool {
        self.format == JSON
    }

    /// How much is printed.
    pub(super) fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }

    /// Whether stdout has colour.
    pub(super) fn color(&self) -> bool {
        self.out().current_choice() != anstream::ColorChoice::Never
    }

    /// Stdout. It removes colours if it should have none.
    pub(super) fn out(&self) -> AutoStream<StdoutLock<'static>> {
        self.stream(io::stdout().lock())
    }

    fn err(&self) -> AutoStream<StderrLock<'static>> {
        self.stream(io::stderr().lock())
    }

    fn stream<S: RawStream>(&self, raw: S) -> AutoStream<S> {
        match self.color {
            ColorChoice::Always => AutoStream::always(raw),
            ColorChoice::Never => AutoStream::never(raw),
            ColorChoice::Auto => AutoStream::auto(raw),
        }
    }

    /// Whether progress is shown as a bar: on a terminal, without -q and without JSON.
    pub(super) fn shows_progress(&self) -> bool {
        self.progress_display() == ProgressDisplay::Bar
    }

    /// How the progress of a run is shown: as a bar on a terminal, else as lines; hidden with -q and JSON.
    pub(super) fn progress_display(&self) -> ProgressDisplay {
        if self.quiet || self.is_json() {
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
        self.print(&json_text(value))
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

/// A value as indented JSON, with a line end.
pub(super) fn json_text(value: &impl Serialize) -> String {
    format!("{}\n", escape::json(&format!("{:#}", json!(value))))
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
