//! The JSON report: the view as it is. Of the exchanges only those that a check of `warn` or worse
//! judged; the page holds all of them.

use std::collections::BTreeSet;

use super::escape;
use super::view::Report;
use crate::verdict::Verdict;

/// The published JSON Schema of this report, `moot schema report`.
pub const SCHEMA: &str = include_str!("../../schemas/report.json");

/// On one line: a whole run judges thousands of checks, and what reads them is a program.
///
/// # Errors
/// The serialiser's, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let wanted: BTreeSet<u64> = report
        .checks
        .iter()
        .filter(|check| check.verdict >= Verdict::Warn)
        .filter_map(|check| check.exchange)
        .collect();
    let mut shown = report.clone();
    shown.exchanges.retain(|exchange| wanted.contains(&exchange.number));
    let text = serde_json::to_string(&shown).map_err(|error| error.to_string())?;
    Ok(format!("{}\n", escape::json(&text)))
}
