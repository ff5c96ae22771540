//! The text report: the files, the findings, the answers, the scenarios that were not run, and a summary. The findings
//! come late, so that they are near the prompt of the terminal.

mod failure;
mod known;
mod overview;
mod rest;

use super::Report;
use crate::report::terminal::{Detail, Paint};

/// Options of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether it has colours.
    pub color: bool,
    /// The amount of output.
    pub detail: Detail,
}

/// The whole text. Texts of the report are escaped already.
pub fn render(report: &Report, options: Options) -> String {
    let paint = Paint { color: options.color };
    let mut out = String::new();
    if options.detail > Detail::Quiet {
        overview::header(&mut out, report, paint);
        overview::files(&mut out, report, paint);
    }
    if options.detail == Detail::Verbose {
        overview::scenarios(&mut out, report, paint);
    }
    failure::failures(&mut out, report, options);
    failure::warnings(&mut out, report, options);
    if options.detail > Detail::Quiet {
        rest::answers(&mut out, report, options);
        rest::unused_snapshots(&mut out, report, paint);
        rest::residue(&mut out, report, paint);
        rest::not_run(&mut out, report, options);
        known::happened(&mut out, report, options);
    }
    known::stale(&mut out, report, paint);
    rest::summary(&mut out, report, paint);
    out
}
