//! The kill matrix as a part of a Markdown page, between two markers.

use std::fmt::Write as _;

use super::outcome::SelftestOutcome;

/// The marker before the matrix.
pub const BEGIN: &str = "<!-- moot selftest: from here on written by a command -->";
/// The marker after the matrix.
pub const END: &str = "<!-- moot selftest: to here -->";

/// Names in one cell. Further ones are only counted.
const NAMED_MAX: usize = 6;

/// `page` with the part between its markers replaced. Without a page or without markers, the matrix
/// between markers.
pub fn page(outcome: &SelftestOutcome, page: Option<&str>) -> String {
    let matrix = format!("{BEGIN}\n{}{END}", matrix(outcome));
    let parts = page.and_then(|page| {
        let (before, rest) = page.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    match parts {
        Some((before, after)) => format!("{before}{matrix}{after}"),
        None => format!("{matrix}\n"),
    }
}

fn matrix(outcome: &SelftestOutcome) -> String {
    let mut out = String::new();
    write_into(&mut out, outcome).expect("a String takes all");
    out
}

fn write_into(out: &mut String, outcome: &SelftestOutcome) -> std::fmt::Result {
    let gating = outcome.matrix.iter().filter(|row| row.is_gating).count();
    let unproven = outcome.unproven().len();
    let (all, survivors) = (outcome.defects.len(), outcome.survivors().len());
    let fails: usize = outcome.drawn().map(|drawn| drawn.false_fails.len()).sum();
    let refused = outcome.degenerate.iter().filter(|it| it.is_refused()).count();
    writeln!(out, "- defects caught: {} of {all}", all - survivors)?;
    writeln!(out, "- gating requirements killed: {} of {gating}", gating - unproven)?;
    writeln!(out, "- unrelated requirements that fail: median {}", outcome.median_unrelated())?;
    writeln!(
        out,
        "- latitude: {fails} false fails over {} seeds and {} single questions",
        outcome.latitude.len(),
        outcome.alone.len()
    )?;
    writeln!(
        out,
        "- targets that are not the service: {refused} of {} refused\n",
        outcome.degenerate.len()
    )?;
    writeln!(
        out,
        "### Rows\n\n| § | requirement | gating | defects that it noticed |\n|---|---|---|---|"
    )?;
    for row in &outcome.matrix {
        let gating = if row.is_gating { "yes" } else { "no" };
        let killers = names(&row.killed_by);
        writeln!(out, "| {} | `{}` | {gating} | {killers} |", row.section, row.requirement)?;
    }
    writeln!(
        out,
        "\n### Defects\n\n| § | defect | what the service does wrong | caught by |\n|---|---|---|---|"
    )?;
    for it in &outcome.defects {
        let (caught, what) = (names(&it.caught_by), it.defect.what.replace('|', "\\|"));
        writeln!(out, "| {} | `{}` | {what} | {caught} |", it.defect.section, it.defect.id)?;
    }
    Ok(())
}

fn names(all: &[String]) -> String {
    let shown: Vec<String> = all.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    match all.len().checked_sub(NAMED_MAX) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}
