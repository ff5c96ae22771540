//! The kill matrix as one self-contained page that loads and runs nothing.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};

use super::Outcome;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The template engine's, as text.
pub fn page(outcome: &Outcome) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page", PAGE).map_err(text_of)?;
    let template = environment.get_template("page").map_err(text_of)?;
    let rendered = template.render(context! {
        outcome => Value::from(Serde(outcome)),
        drawn => Value::from(Serde(outcome.drawn().collect::<Vec<_>>())),
        survivors => Value::from(Serde(outcome.survivors())),
        unproven => Value::from(Serde(outcome.unproven())),
        median => outcome.median_unrelated(),
        is_proven => outcome.is_proven(),
    });
    rendered.map_err(text_of)
}

fn text_of(error: minijinja::Error) -> String {
    format!("{error:#}")
}
