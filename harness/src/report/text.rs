//! The text report: the files, the findings, the answers, the scenarios that were not run, and a summary. The findings
//! come late, so that they are near the prompt of the terminal.

mod failure;
mod known;
mod overview;
mod summary;

use super::Report;
use crate::report::terminal::Detail;

/// The whole text. Texts of the report are escaped already.
pub fn render(report: &Report, detail: Detail) -> String {
    let mut out = String::new();
    if detail > Detail::Quiet {
        overview::header(&mut out, report);
        overview::files(&mut out, report);
    }
    if detail == Detail::Verbose {
        overview::scenarios(&mut out, report);
    }
    failure::failures(&mut out, report, detail);
    failure::warnings(&mut out, report, detail);
    if detail > Detail::Quiet {
        summary::answers(&mut out, report, detail);
        summary::unused_snapshots(&mut out, report);
        summary::residue(&mut out, report, detail);
        summary::not_run(&mut out, report, detail);
        known::happened(&mut out, report, detail);
    }
    known::stale(&mut out, report);
    summary::summary(&mut out, report);
    out
}
