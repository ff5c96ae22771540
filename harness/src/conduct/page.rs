//! An account as one self-contained HTML page without scripts.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};

use super::account::Account;
use crate::report::html::STYLE;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn render(account: &Account) -> Result<String, String> {
    rendered(account).map_err(|error| format!("{error:#}"))
}

fn rendered(account: &Account) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("page", PAGE)?;
    environment.get_template("page")?.render(context! {
        account => Value::from(Serde(account)),
        version => env!("CARGO_PKG_VERSION"),
        style => Value::from_safe_string(STYLE.to_owned()),
    })
}
