//! Known failures: those that happened, and those that did not happen and should be removed from their file.

use super::rest::names;
use crate::report::Report;
use crate::report::terminal::Detail;
use crate::report::terminal::paint;
use crate::verdict::Verdict;
use crate::verdict::result::{ExpectedFailure, ExpectedState};

/// Adds known failures that happened; with `-v` also those that did not apply or were not judged.
pub(super) fn happened(out: &mut String, report: &Report, detail: Detail) {
    let is_shown = |one: &&ExpectedFailure| match one.state {
        ExpectedState::Happened => true,
        ExpectedState::Stale => false,
        ExpectedState::Inapplicable | ExpectedState::Unjudged => detail == Detail::Verbose,
    };
    let shown: Vec<&ExpectedFailure> = report.expected.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return;
    }
    out.push_str(&format!("{}\n", paint::bold("Expected failures")));
    for one in shown {
        let count = paint::verdict(Verdict::Warn, format!("{:>4}", one.names.len()));
        let verdict = paint::dim(one.outcome.as_str());
        let note = one.note.as_ref().map(|why| paint::dim(format!("  does not apply: {why}")));
        let note = note.unwrap_or_default();
        out.push_str(&format!("  {count} {verdict} {}{note}\n", paint::name(&one.id)));
        let expires = one.expires.as_ref().map(|day| paint::dim(format!("  until {day}")));
        out.push_str(&format!("       {}{}\n", one.reason, expires.unwrap_or_default()));
        names(out, &one.names, detail);
    }
    out.push('\n');
}

/// Adds known failures that did not happen, which is drift.
pub(super) fn stale(out: &mut String, report: &Report) {
    let stale: Vec<&ExpectedFailure> =
        report.expected.iter().filter(|one| one.is_stale()).collect();
    if stale.is_empty() {
        return;
    }
    let title = "Expected failures that did not happen: remove them from the file";
    out.push_str(&format!("{}\n", paint::bold(title)));
    for one in stale {
        let verdict = paint::verdict(Verdict::Drift, one.outcome.as_str());
        out.push_str(&format!(
            "  {verdict} {}  {}\n",
            paint::name(&one.id),
            paint::dim(&one.reason)
        ));
    }
    out.push('\n');
}
