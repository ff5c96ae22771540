//! Answers, residue, scenarios that were not run, and the last lines.

use std::collections::BTreeMap;

use crate::report::terminal::{Detail, Table, add_section, paint};
use crate::report::{Report, color_of};
use crate::verdict::{Verdict, pluralize};

/// Adds the answers of the target to open questions; with `-v` also all observations.
pub(super) fn answers(out: &mut String, report: &Report, detail: Detail) {
    let mut table = Table::new(2);
    for answer in &report.answers {
        let section = paint::dim(&answer.section);
        table.row([section, paint::name(&answer.question), answer.line()]);
        if detail == Detail::Verbose {
            table.row([String::new(), paint::dim(format!("seen {}", answer.seen_line()))]);
        }
    }
    add_section(out, "Answers to open questions", &table.render());
}

/// Adds recorded responses that no step uses any more.
pub(super) fn unused_snapshots(out: &mut String, report: &Report) {
    let title = "Snapshots that no step uses: delete them, or find the step that was removed";
    let names = report.unused_snapshots.iter();
    let names: String = names.map(|name| format!("  {}\n", paint::name(name))).collect();
    add_section(out, title, &names);
}

/// Adds the objects that the run left on the target, by kind; without `-v` only some.
pub(super) fn residue(out: &mut String, report: &Report, detail: Detail) {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for one in &report.residue {
        let id = one.id.as_deref().unwrap_or("(id unknown)");
        let object = format!("{id}  {}, by {}", one.tag, one.scenario);
        kinds.entry(&one.kind).or_default().push(object);
    }
    let mut lines = String::new();
    for (kind, objects) in kinds {
        lines.push_str(&format!("  {:>4} {kind}\n", objects.len()));
        names(&mut lines, &objects, detail);
    }
    add_section(out, "Left behind on the target", &lines);
}

/// Adds what was not run, by reason, with the setting that enables it and the name that tolerates it.
pub(super) fn not_run(out: &mut String, report: &Report, detail: Detail) {
    let mut lines = String::new();
    for one in &report.not_run {
        let count = format!("{:>4}", one.names.len());
        let tolerated = match (&one.known, one.is_tolerated) {
            (Some(reason), _) => paint::dim(format!("  expected: {reason}")),
            (None, true) => paint::dim("  tolerated"),
            (None, false) => String::new(),
        };
        let count = paint::verdict(Verdict::NotRun, &count);
        lines.push_str(&format!("  {count} {}{tolerated}\n", one.reason));
        if let Some(setting) = &one.setting {
            lines.push_str(&format!("       {} {setting}\n", paint::dim("enable with")));
        }
        if let Some(name) = one.tolerate_as.as_ref().filter(|_| !one.is_tolerated) {
            lines.push_str(&format!("       {} `{name}`\n", paint::dim("tolerate with")));
        }
        names(&mut lines, &one.names, detail);
    }
    add_section(out, "Not run", &lines);
}

/// Adds names below a line; without `-v` only some.
pub(super) fn names(out: &mut String, all: &[String], detail: Detail) {
    for name in detail.some_of(all) {
        out.push_str(&format!("       {}\n", paint::dim(&name)));
    }
}

/// Adds the outcome, the counts, and the command that repeats the run.
pub(super) fn summary(out: &mut String, report: &Report) {
    if let Some(trouble) = &report.trouble {
        out.push_str(&format!("{} {trouble}\n\n", paint::verdict(Verdict::Error, "error:")));
    }
    let counts = |is_wanted: fn(Verdict) -> bool| -> Vec<String> {
        let wanted = Verdict::worst_first().filter(|v| is_wanted(*v));
        let there = wanted.filter(|v| report.counts.of(*v) > 0);
        there
            .map(|v| paint::verdict(v, format!("{} {}", report.counts.of(v), v.as_str())))
            .collect()
    };
    let bad = counts(is_finding).join(", ");
    let mut parts = match report.findings.iter().filter(|finding| finding.is_bad()).count() {
        0 if bad.is_empty() => Vec::new(),
        0 => vec![bad],
        1 => vec![format!("1 finding ({bad})")],
        many => vec![format!("{many} findings ({bad})")],
    };
    parts.extend(counts(|verdict| !is_finding(verdict)));
    if report.counts.expected > 0 {
        let known = format!("{} expected", report.counts.expected);
        parts.push(paint::verdict(Verdict::Warn, &known));
    }
    let outcome = paint::verdict(color_of(report.outcome), report.outcome.as_str());
    out.push_str(&format!("{outcome}: {}\n", report.meaning));
    let scale = format!(
        "{} in {}, {}, {:.1} s, exit {}",
        pluralize(report.counts.total, "check"),
        report.scenarios_line(),
        pluralize(report.requests_sent, "request"),
        report.duration_seconds,
        report.exit_code,
    );
    let parts = if parts.is_empty() { "nothing judged".to_owned() } else { parts.join(", ") };
    out.push_str(&format!("  {parts}\n  {}\n", paint::dim(&scale)));
    if let Some(snapshots) = &report.snapshots {
        out.push_str(&format!("  {} {}\n", paint::dim("snapshots"), snapshots.line()));
    }
    out.push_str(&format!("  {} {}\n", paint::dim("repeat with"), report.reproduce));
}

/// Whether checks of this verdict are findings that are more than a warning.
const fn is_finding(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Error | Verdict::Fail | Verdict::Drift)
}
