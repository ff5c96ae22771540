//! The JSON report: the report itself, serialised.

use super::Report;
use crate::exchange::escape;

/// The published JSON Schema of this report, `moot schema report`.
pub const SCHEMA: &str = include_str!("../../schemas/report.json");

/// The report on one line: it has thousands of checks, and a program reads it.
///
/// # Errors
/// The error of the serialiser, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let text = serde_json::to_string(report).map_err(|error| error.to_string())?;
    Ok(format!("{}\n", escape::json(&text)))
}
