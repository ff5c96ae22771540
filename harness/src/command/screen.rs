//! Where commands print: stdout for what was asked, stderr for what went wrong and for progress.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde_json::Value;

use super::failure::Failure;
use super::line::{ColorWhen, Line, OutputFormat};
use crate::report::text::Options;
use crate::terminal::paint::Paint;
use crate::terminal::{Detail, escape};
use crate::verdict::Verdict;

/// How this process prints.
#[derive(Clone)]
pub(super) struct Screen {
    format: OutputFormat,
    color_out: bool,
    color_err: bool,
    detail: Detail,
}

impl Screen {
    pub(super) fn new(line: &Line) -> Self {
        let choose = |automatic: ColorChoice| match line.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => automatic != ColorChoice::Never,
        };
        let detail = match (line.quiet, line.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        };
        Self {
            format: line.format,
            color_out: choose(AutoStream::choice(&io::stdout())),
            color_err: choose(AutoStream::choice(&io::stderr())),
            detail,
        }
    }

    /// Whether JSON was asked for.
    pub(super) fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Whether more than usual is said.
    pub(super) fn is_verbose(&self) -> bool {
        self.detail == Detail::Verbose
    }

    /// How much is said.
    pub(super) fn detail(&self) -> Detail {
        self.detail
    }

    /// Whether stdout is painted.
    pub(super) fn color(&self) -> bool {
        self.color_out
    }

    /// The painter of stdout.
    pub(super) fn paint(&self) -> Paint {
        Paint { color: self.color_out }
    }

    /// The painter of stderr.
    pub(super) fn paint_err(&self) -> Paint {
        Paint { color: self.color_err }
    }

    /// For the text report; on stderr where stdout carries another report.
    pub(super) fn text_options(&self, on_stderr: bool) -> Options {
        let color = if on_stderr { self.color_err } else { self.color_out };
        Options { color, detail: self.detail }
    }

    /// Whether a person sees progress: a terminal, and neither quiet nor JSON.
    pub(super) fn shows_progress(&self) -> bool {
        io::stderr().is_terminal() && self.detail > Detail::Quiet && !self.is_json()
    }

    /// To stdout, as it is.
    ///
    /// # Errors
    /// Stdout cannot be written; a reader that has gone is no error.
    pub(super) fn print(&self, text: &str) -> Result<(), Failure> {
        put(&mut io::stdout().lock(), text)
    }

    /// To stderr, as it is.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn note(&self, text: &str) -> Result<(), Failure> {
        put(&mut io::stderr().lock(), text)
    }

    /// JSON to stdout, laid out.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub(super) fn json(&self, value: &Value) -> Result<(), Failure> {
        self.print(&format!("{}\n", escape::json(&format!("{value:#}"))))
    }

    /// Why the command failed, to stderr.
    pub(super) fn failure(&self, failure: &Failure) {
        let paint = Paint { color: self.color_err };
        let mut text = format!(
            "{} {}\n",
            paint.verdict(Verdict::Fail, "error:"),
            escape::block(&failure.message)
        );
        if let Some(help) = &failure.help {
            text.push_str(&format!("{} {}\n", paint.bold("help:"), escape::block(help)));
        }
        // Where stderr is gone too, only the exit code is left.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

fn put(stream: &mut impl Write, text: &str) -> Result<(), Failure> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::fault(format!("the output can't be written: {error}"))),
    }
}
