//! An account as one self-contained HTML page without scripts, and as Markdown.

use minijinja::value::Serde;
use minijinja::{Value, context};

use super::account::Account;
use crate::report::{html, markdown};

/// The HTML page.
///
/// # Errors
/// The error of the template engine, as text.
pub fn html(account: &Account) -> Result<String, String> {
    html::page(include_str!("page.html"), values(account))
}

/// The Markdown page, with tables.
///
/// # Errors
/// The error of the template engine, as text.
pub fn markdown(account: &Account) -> Result<String, String> {
    markdown::page(include_str!("markdown.jinja"), values(account))
}

fn values(account: &Account) -> Value {
    let answers: Vec<String> = account.relies_on.iter().map(|it| it.answer.to_string()).collect();
    context! {
        account => Value::from(Serde(account)),
        answers,
        without_findings => account.without_findings(),
        version => env!("CARGO_PKG_VERSION"),
    }
}
