//! The page: one self-contained file that works from a disk and loads nothing.
//!
//! minijinja escapes every value; a content security policy names the one script by its digest, so
//! that even a mistake there could run nothing.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use sha2::{Digest, Sha256};

use super::view::{Check, Report};
use crate::verdict::Verdict;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page.
///
/// # Errors
/// The template engine's, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("verdict", verdict_text);
    environment.add_template("page", PAGE).map_err(text_of)?;
    let template = environment.get_template("page").map_err(text_of)?;
    let rows = || report.checks.iter();
    let bad: Vec<&Check> = rows().filter(|check| check.is_bad()).collect();
    // The first of each subject is open; a cause may show in hundreds of checks.
    let mut known = BTreeSet::new();
    let opened: Vec<bool> = bad.iter().map(|check| known.insert(check.subject())).collect();
    let warned: Vec<&Check> = rows().filter(|check| check.is_warning()).collect();
    let columns: Vec<_> = report
        .columns()
        .into_iter()
        .map(|v| context! { key => key(v), name => v.as_str() })
        .collect();
    let answers: Vec<_> = report
        .answers
        .iter()
        .map(|answer| context! { line => answer.line(), seen => answer.seen_line() })
        .collect();
    template
        .render(context! {
            report => Value::from(Serde(report)),
            bad => Value::from(Serde(bad)),
            opened,
            warned => Value::from(Serde(warned)),
            columns,
            answers,
            style => Value::from_safe_string(STYLE.to_owned()),
            script => Value::from_safe_string(SCRIPT.to_owned()),
            script_digest => STANDARD.encode(Sha256::digest(SCRIPT)),
        })
        .map_err(text_of)
}

/// A verdict as the view serialises it, for people.
fn verdict_text(key: &str) -> String {
    key.replace('_', " ")
}

fn key(verdict: Verdict) -> String {
    verdict.as_str().replace(' ', "_")
}

fn text_of(error: minijinja::Error) -> String {
    format!("{error:#}")
}
