//! An account as one self-contained HTML page without scripts.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::account::Account;
use crate::report::html;

const PAGE: &str = include_str!("page.html");

/// The whole page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn render(account: &Account) -> Result<String, String> {
    let values = context! {
        account => Value::from(Serde(account)),
        version => env!("CARGO_PKG_VERSION"),
    };
    html::page(PAGE, values)
}
