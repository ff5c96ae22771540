//! Colours by meaning: red is a failure, yellow needs attention, green is good, dim is unimportant.
//!
//! Texts for a terminal always have colours. The stream that prints them removes them if it should have none.

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

/// Text in this style. An empty text has no style.
fn with(style: Style, text: impl AsRef<str>) -> String {
    match text.as_ref() {
        "" => String::new(),
        text => format!("{style}{text}{style:#}"),
    }
}

/// A heading.
pub fn bold(text: impl AsRef<str>) -> String {
    with(Style::new().bold(), text)
}

/// Text of little importance.
pub fn dim(text: impl AsRef<str>) -> String {
    with(Style::new().dimmed(), text)
}

/// A name.
pub fn name(text: impl AsRef<str>) -> String {
    with(AnsiColor::Cyan.on_default(), text)
}

/// Text in the colour of a verdict.
pub fn verdict(verdict: Verdict, text: impl AsRef<str>) -> String {
    with(style_of(verdict), text)
}

/// A line of a unified diff.
pub fn diff_line(line: &str) -> String {
    match line.as_bytes().first() {
        Some(b'+') => verdict(Verdict::Pass, line),
        Some(b'-') => verdict(Verdict::Fail, line),
        Some(b'@') => dim(line),
        _ => line.to_owned(),
    }
}

/// The text without colours.
pub fn plain(text: &str) -> String {
    strip_str(text).to_string()
}

/// The colour of a verdict.
const fn style_of(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Error => AnsiColor::Magenta.on_default().bold(),
        Verdict::Fail => AnsiColor::Red.on_default().bold(),
        Verdict::Drift | Verdict::Warn => AnsiColor::Yellow.on_default(),
        Verdict::NotRun => AnsiColor::Blue.on_default(),
        Verdict::Observed => AnsiColor::Cyan.on_default(),
        Verdict::Pass => AnsiColor::Green.on_default(),
        Verdict::NotApplicable => Style::new().dimmed(),
    }
}

/// One character for a verdict, for output without colour.
pub(crate) const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Error => "E",
        Verdict::Fail => "✗",
        Verdict::Drift => "≠",
        Verdict::NotRun => "-",
        Verdict::Warn => "!",
        // An observed answer needs no attention.
        Verdict::Observed | Verdict::Pass => "✓",
        Verdict::NotApplicable => "·",
    }
}
