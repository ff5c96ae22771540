//! A comparison as one self-contained HTML page. Its texts are escaped already.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};

use super::comparison::{Class, SideDifference, TargetComparison};
use crate::report::html::STYLE;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The template engine's, as text.
pub fn page(comparison: &TargetComparison) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page", PAGE).map_err(text_of)?;
    let template = environment.get_template("page").map_err(text_of)?;
    let of = |class: Class| {
        let all: Vec<&SideDifference> = comparison.of(class).collect();
        context! { name => class.as_str(), all => Value::from(Serde(all)) }
    };
    template
        .render(context! {
            comparison => Value::from(Serde(comparison)),
            classes => Class::ALL.map(of).to_vec(),
            violations => [Class::AViolates, Class::BViolates, Class::BothViolate].map(of).to_vec(),
            answers => of(Class::BothAllowed),
            undecidable => of(Class::Undecidable),
            style => Value::from_safe_string(STYLE.to_owned()),
        })
        .map_err(text_of)
}

fn text_of(error: minijinja::Error) -> String {
    format!("{error:#}")
}
