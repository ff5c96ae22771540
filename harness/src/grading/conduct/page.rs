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
    html::page(PAGE, values(account))
}

/// What the page and the Markdown show.
pub(super) fn values(account: &Account) -> Value {
    let answers: Vec<String> = account.relies_on.iter().map(|it| it.answer.to_string()).collect();
    context! {
        account => Value::from(Serde(account)),
        answers,
        version => env!("CARGO_PKG_VERSION"),
    }
}
