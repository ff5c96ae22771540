//! An account as Markdown.

use super::account::Account;
use super::page::values;
use crate::report::markdown;

const PAGE: &str = include_str!("markdown.jinja");

/// Renders an account as a page with tables.
///
/// # Errors
/// The error of the template engine, as text.
pub fn render(account: &Account) -> Result<String, String> {
    markdown::page(PAGE, values(account))
}
