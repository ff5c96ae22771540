//! Known failures: those that happened, and those that did not happen and should be removed from their file.

use super::summary::names;
use crate::report::Report;
use crate::report::terminal::{Detail, add_section, paint};
use crate::verdict::Verdict;
use crate::verdict::result::{ExpectedFailure, ExpectedState};

/// Adds known failures that happened; with `-v` also those that did not apply or were not judged.
pub(super) fn happened(out: &mut String, report: &Report, detail: Detail) {
    let is_shown = |one: &&ExpectedFailure| match one.state {
        ExpectedState::Happened => true,
        ExpectedState::Stale => false,
        ExpectedState::Inapplicable | ExpectedState::Unjudged => detail == Detail::Verbose,
    };
    let mut lines = String::new();
    for one in report.expected.iter().filter(is_shown) {
        let count = paint::verdict(Verdict::Warn, format!("{:>4}", one.names.len()));
        let verdict = paint::dim(one.outcome.as_str());
        let note = one.note.as_ref().map(|why| paint::dim(format!("  does not apply: {why}")));
        let note = note.unwrap_or_default();
        lines.push_str(&format!("  {count} {verdict} {}{note}\n", paint::name(&one.id)));
        let expires = one.expires.as_ref().map(|day| paint::dim(format!("  until {day}")));
        lines.push_str(&format!("       {}{}\n", one.reason, expires.unwrap_or_default()));
        names(&mut lines, &one.names, detail);
    }
    add_section(out, "Expected failures", &lines);
}

/// Adds known failures that did not happen, which is drift.
pub(super) fn stale(out: &mut String, report: &Report) {
    let line = |one: &ExpectedFailure| {
        let verdict = paint::verdict(Verdict::Drift, one.outcome.as_str());
        format!("  {verdict} {}  {}\n", paint::name(&one.id), paint::dim(&one.reason))
    };
    let stale = report.expected.iter().filter(|one| one.is_stale());
    let title = "Expected failures that did not happen: remove them from the file";
    add_section(out, title, &stale.map(line).collect::<String>());
}
