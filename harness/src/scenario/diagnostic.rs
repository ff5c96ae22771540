//! Shows a mistake in a scenario file with its line.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use moot_fixtures::DataError;
use moot_fixtures::yaml::YamlSpan;

/// The mistake on several lines, with the line of the file in which it is marked. On one line, if there
/// is no text.
pub fn render(mistake: &DataError, color: bool) -> String {
    let text = mistake.text.as_deref().filter(|text| !text.is_empty());
    let (Some(text), Some(place)) = (text, mistake.place) else { return mistake.to_string() };
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let start = byte_offset(text, place);
    let rest = text[start..].lines().next().unwrap_or_default();
    let marked: usize = rest.chars().take(place.length as usize).map(char::len_utf8).sum();
    let mut report = Group::with_title(Level::ERROR.primary_title(mistake.message.as_str()))
        .element(
            Snippet::source(text)
                .path(mistake.file.as_str())
                .annotation(AnnotationKind::Primary.span(start..start + marked)),
        );
    if let Some(hint) = &mistake.hint {
        report = report.element(Level::HELP.message(hint.as_str()));
    }
    renderer.render(&[report])
}

/// The offset of the first marked character, or the end of the text if the place is beyond it.
fn byte_offset(text: &str, place: YamlSpan) -> usize {
    let before = place.line.saturating_sub(1) as usize;
    let line_start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let column = place.column.saturating_sub(1) as usize;
    line_start + text[line_start..].chars().take(column).map(char::len_utf8).sum::<usize>()
}
