//! A mistake in a scenario file: its message, its place and its remedy.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::model::Location;

/// A mistake in a scenario file.
///
/// Text form: `scenarios/07_errors.yaml:3:7: unknown key `titel`; did you mean `title`?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Lower case, no full stop.
    pub message: String,
    /// The place of the first wrong character.
    pub at: Location,
    /// Number of wrong characters, at least 1.
    pub length: u32,
    /// The remedy.
    pub help: Option<String>,
    /// The text of the whole file. Empty if the file could not be read.
    pub source: Arc<str>,
}

impl Diagnostic {
    /// The mistake on several lines, with the line of the file in which it is marked.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut report = Group::with_title(Level::ERROR.primary_title(self.message.as_str()));
        if !self.source.is_empty() {
            let start = self.byte_offset();
            let rest = self.source[start..].lines().next().unwrap_or_default();
            let marked: usize =
                rest.chars().take(self.length.max(1) as usize).map(char::len_utf8).sum();
            report = report.element(
                Snippet::source(self.source.as_ref())
                    .path(self.at.file.as_ref())
                    .annotation(AnnotationKind::Primary.span(start..start + marked)),
            );
        }
        if let Some(help) = &self.help {
            report = report.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[report])
    }

    /// The offset of the first marked character, or the end of the text if the place is beyond it.
    fn byte_offset(&self) -> usize {
        let before = self.at.line.saturating_sub(1) as usize;
        let line_start: usize = self.source.split_inclusive('\n').take(before).map(str::len).sum();
        let line = &self.source[line_start..];
        let column = self.at.column.saturating_sub(1) as usize;
        line_start + line.chars().take(column).map(char::len_utf8).sum::<usize>()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.at.file, self.at.line, self.at.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}
