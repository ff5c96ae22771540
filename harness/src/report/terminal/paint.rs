//! Colours by meaning: red is a failure, yellow needs attention, green is good, dim is unimportant.

use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

/// Adds colours to text.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// If false, texts are not changed.
    pub color: bool,
}

impl Paint {
    /// Text in this style.
    pub fn with(self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// Text of little importance.
    pub fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// A name.
    pub fn name(self, text: &str) -> String {
        self.with(AnsiColor::Cyan.on_default(), text)
    }

    /// Text in the colour of a verdict.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        self.with(style_of(verdict), text)
    }

    /// A line of a unified diff.
    pub fn diff_line(self, line: &str) -> String {
        match line.as_bytes().first() {
            Some(b'+') => self.verdict(Verdict::Pass, line),
            Some(b'-') => self.verdict(Verdict::Fail, line),
            Some(b'@') => self.dim(line),
            _ => line.to_owned(),
        }
    }
}

/// The colour of a verdict.
pub(super) const fn style_of(verdict: Verdict) -> Style {
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

/// `text`, padded with spaces on the right.
pub(crate) fn left(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(fill))
}

/// `text`, padded with spaces on the left.
pub(crate) fn right(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(fill))
}
