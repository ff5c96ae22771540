//! The JSON report. Of the exchanges only those that a check of `warn` or worse
//! judged; the page holds all of them.

use super::Report;
use crate::exchange::escape;

/// The published JSON Schema of this report, `moot schema report`.
pub const SCHEMA: &str = include_str!("../../schemas/report.json");

/// On one line: a whole run judges thousands of checks, and what reads them is a program.
///
/// # Errors
/// The serialiser's, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let text = serde_json::to_string(report).map_err(|error| error.to_string())?;
    Ok(format!("{}\n", escape::json(&text)))
}
