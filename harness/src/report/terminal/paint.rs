//! Colours by meaning: red is wrong, yellow needs attention, green is right, dim is unimportant.

use anstyle::{AnsiColor, Style};

use crate::verdict::Verdict;

/// Whether text is painted at all.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// With escape sequences.
    pub color: bool,
}

impl Paint {
    /// In this style.
    pub fn with(self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// Can be skipped.
    pub fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// A name worth finding.
    pub fn name(self, text: &str) -> String {
        self.with(AnsiColor::Cyan.on_default(), text)
    }

    /// In the colour of a verdict.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        self.with(style_of(verdict), text)
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

/// One character for a verdict. Without colour it must be enough to see what needs attention.
pub(crate) const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Error => "E",
        Verdict::Fail => "✗",
        Verdict::Drift => "≠",
        Verdict::NotRun => "-",
        Verdict::Warn => "!",
        // An answer to an open question is nothing to worry about.
        Verdict::Observed | Verdict::Pass => "✓",
        Verdict::NotApplicable => "·",
    }
}

/// `text`, filled up with spaces on the right.
pub(crate) fn left(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(fill))
}

/// `text`, filled up with spaces on the left.
pub(crate) fn right(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(fill))
}

/// Of the longest, in characters.
pub(crate) fn width<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(|text| text.chars().count()).max().unwrap_or(0)
}
