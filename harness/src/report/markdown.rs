//! Markdown for the summary of a CI step: the outcome, a table, the failures, and the scenarios that were not run.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, Value};

use super::Report;
use super::values::{values, verdict_text};
use crate::exchange::escape;

const PAGE: &str = include_str!("markdown.jinja");

/// Renders a text from its template. Values are escaped, unless the template says `safe` or `autoescape false`.
///
/// # Errors
/// The error of the template engine, as text.
pub fn page(template: &str, values: Value) -> Result<String, String> {
    let failed = |error: Error| format!("{error:#}");
    let syntax = SyntaxConfig::builder().trim_blocks(true).keep_trailing_newline(true).build();
    let mut environment = Environment::new();
    environment.set_syntax(syntax.map_err(failed)?);
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
    environment.set_formatter(|out, state, value| {
        let text = value.to_string();
        let is_safe = value.is_safe() || *state.auto_escape() == AutoEscape::None;
        let text = if is_safe { text } else { escape::markdown(&text) };
        out.write_str(&text).map_err(Error::from)
    });
    environment.add_filter("verdict", verdict_text);
    environment
        .add_filter("block", |text: &str| Value::from_safe_string(escape::markdown_block(text)));
    let page = environment.template_from_named_str("page", template);
    page.and_then(|page| page.render(values)).map_err(failed)
}

/// The whole text.
///
/// # Errors
/// The error of the template engine, as text.
pub fn render(report: &Report) -> Result<String, String> {
    page(PAGE, values(report))
}
