//! The head of the report and the table of files.

use crate::report::Report;
use crate::report::terminal::paint::{Paint, left, right, sign, width};
use crate::verdict::Verdict;
use crate::verdict::result::Counts;

/// Adds versions, target, seed and notices.
pub(super) fn header(out: &mut String, report: &Report, paint: Paint) {
    out.push_str(&format!(
        "{} {}\n\n",
        paint.bold(&format!("moot {}", report.moot_version)),
        paint.dim(&format!("judges by interface {}", report.interface_version)),
    ));
    let address = match report.target.base_url.as_str() {
        "" => String::new(),
        address => format!("  {}", paint.name(address)),
    };
    let class = paint.dim(&format!("({})", report.target.class));
    row(out, paint, "target", &format!("{}{address}  {class}", report.target.name));
    row(out, paint, "seed", &report.seed.to_string());
    row(out, paint, "started", &report.started_at);
    for notice in &report.notices {
        row(out, paint, "notice", &paint.verdict(Verdict::Warn, notice));
    }
    out.push('\n');
}

fn row(out: &mut String, paint: Paint, name: &str, value: &str) {
    out.push_str(&format!("  {} {value}\n", paint.dim(&left(name, 8))));
}

/// Adds a line for each file: sign, section, name, counts, time.
pub(super) fn files(out: &mut String, report: &Report, paint: Paint) {
    if report.files.is_empty() {
        return;
    }
    let columns = report.columns();
    let names = width(report.files.iter().map(|file| file.name.as_str()).chain(["all"]));
    let sections = width(report.files.iter().map(|file| file.section.as_str()));
    let heads: String = columns.iter().map(|v| right(v.as_str(), column(*v))).collect();
    let head = format!("    {} {}{heads}{}", left("§", sections), left("", names), right("s", 9));
    out.push_str(&format!("{}\n", paint.dim(&head)));
    for file in &report.files {
        let mark = paint.verdict(file.verdict, sign(file.verdict));
        out.push_str(&format!(
            "  {mark} {} {}{}{}\n",
            paint.dim(&left(&file.section, sections)),
            left(&file.name, names),
            cells(&file.counts, &columns, paint),
            paint.dim(&right(&format!("{:.2}", file.duration_seconds), 9)),
        ));
    }
    out.push_str(&format!(
        "    {} {}{}{}\n\n",
        left("", sections),
        left("all", names),
        cells(&report.counts, &columns, paint),
        paint.dim(&right(&format!("{:.2}", report.duration_seconds), 9)),
    ));
}

fn column(verdict: Verdict) -> usize {
    verdict.as_str().chars().count().max(5) + 2
}

fn cells(counts: &Counts, columns: &[Verdict], paint: Paint) -> String {
    columns
        .iter()
        .map(|verdict| match counts.of(*verdict) {
            0 => paint.dim(&right("·", column(*verdict))),
            count => paint.verdict(*verdict, &right(&count.to_string(), column(*verdict))),
        })
        .collect()
}

/// Adds a line for each scenario.
pub(super) fn scenarios(out: &mut String, report: &Report, paint: Paint) {
    for file in &report.files {
        out.push_str(&format!("{}\n", paint.bold(&file.name)));
        for scenario in &file.scenarios {
            let mark = paint.verdict(scenario.verdict, sign(scenario.verdict));
            let name = scenario.name.in_file();
            let reason =
                scenario.not_run.as_ref().map(|why| paint.dim(&format!(": {}", why.reason)));
            let reason = reason.unwrap_or_default();
            out.push_str(&format!("  {mark} {name}  {}{reason}\n", paint.dim(&scenario.title)));
        }
        out.push('\n');
    }
}
