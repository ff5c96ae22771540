//! The head of the report and the table of files.

use crate::report::Report;
use crate::report::terminal::paint::{self, sign};
use crate::report::terminal::{Table, add_field, add_section};
use crate::verdict::Verdict;
use crate::verdict::result::Counts;

/// Adds versions, target, seed and notices.
pub(super) fn header(out: &mut String, report: &Report) {
    out.push_str(&format!(
        "{} {}\n\n",
        paint::bold(format!("moot {}", report.moot_version)),
        paint::dim(format!("judges by interface {}", report.interface_version)),
    ));
    let address = match report.target.base_url.as_str() {
        "" => String::new(),
        address => format!("  {}", paint::name(address)),
    };
    let class = paint::dim(format!("({})", report.target.class));
    add_field(out, 8, "target", &format!("{}{address}  {class}", report.target.name));
    add_field(out, 8, "seed", &report.seed.to_string());
    add_field(out, 8, "started", &report.started_at);
    for notice in &report.notices {
        add_field(out, 8, "notice", &paint::verdict(Verdict::Warn, notice));
    }
    out.push('\n');
}

/// Adds a line for each file: sign, section, name, counts, time.
pub(super) fn files(out: &mut String, report: &Report) {
    if report.files.is_empty() {
        return;
    }
    let columns = report.columns();
    let mut table = Table::with_numbers(2, 3..columns.len() + 4);
    let verdicts = columns.iter().map(|verdict| verdict.as_str());
    table.row(["", "§", ""].into_iter().chain(verdicts).chain(["s"]).map(paint::dim));
    let row = |first: [String; 3], counts: &Counts, seconds: f64| {
        let counts = columns.iter().map(|verdict| match counts.of(*verdict) {
            0 => paint::dim("·"),
            count => paint::verdict(*verdict, count.to_string()),
        });
        let seconds = paint::dim(format!("{seconds:.2}"));
        first.into_iter().chain(counts).chain([seconds]).collect::<Vec<_>>()
    };
    for file in &report.files {
        let mark = paint::verdict(file.verdict, sign(file.verdict));
        let first = [mark, paint::dim(&file.section), file.name.clone()];
        table.row(row(first, &file.counts, file.duration_seconds));
    }
    let all = ["", "", "all"].map(str::to_owned);
    table.row(row(all, &report.counts, report.duration_seconds));
    out.push_str(&table.render());
    out.push('\n');
}

/// Adds a line for each scenario.
pub(super) fn scenarios(out: &mut String, report: &Report) {
    for file in &report.files {
        let mut lines = String::new();
        for scenario in &file.scenarios {
            let mark = paint::verdict(scenario.verdict, sign(scenario.verdict));
            let name = scenario.name.in_file();
            let reason =
                scenario.not_run.as_ref().map(|why| paint::dim(format!(": {}", why.reason)));
            let reason = reason.unwrap_or_default();
            lines.push_str(&format!("  {mark} {name}  {}{reason}\n", paint::dim(&scenario.title)));
        }
        add_section(out, &file.name, &lines);
    }
}
