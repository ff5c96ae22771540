//! Annotations of a GitHub workflow: a line for each finding, with its place in the scenario file.
//!
//! The runner reads these lines from the output of a step. The job summary is the Markdown report.

use super::{Finding, Report, add_values};
use crate::scenario::model::Location;
use crate::verdict::Verdict;
use crate::verdict::result::CheckResult;

/// The most annotations; the others are only counted. GitHub shows ten of each level for each step.
const ANNOTATIONS_MAX: usize = 100;

/// All lines. A run without findings has none.
pub fn render(report: &Report) -> String {
    let mut lines = Vec::new();
    if let Some(trouble) = &report.trouble {
        lines.push(of_target(report, "error", report.outcome.as_str(), trouble));
    }
    lines.extend(report.findings.iter().filter_map(|finding| of_finding(report, finding)));
    for one in report.expected.iter().filter(|one| one.is_stale()) {
        let text = format!("{} did not happen: remove it from the file ({})", one.id, one.reason);
        lines.push(of_target(report, "error", "expected failure", &text));
    }
    for one in report.not_run.iter().filter(|one| !one.is_tolerated) {
        let setting = one.setting.as_deref().map(|setting| format!("; enable it with {setting}"));
        let text = format!("{} × {}{}", one.names.len(), one.reason, setting.unwrap_or_default());
        lines.push(of_target(report, "warning", "not run", &text));
    }
    let more = lines.len().saturating_sub(ANNOTATIONS_MAX);
    lines.truncate(ANNOTATIONS_MAX);
    if more > 0 {
        let text = format!("and {more} more: see the job summary");
        lines.push(of_target(report, "notice", report.outcome.as_str(), &text));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn of_finding(report: &Report, finding: &Finding) -> Option<String> {
    let check = finding.first(&report.checks)?;
    let at = check.place.clone().or_else(|| scenario_place(report, check));
    let level = if finding.verdict == Verdict::Warn { "warning" } else { "error" };
    let title = format!("{} {}", finding.verdict.as_str(), finding.subject.as_str());
    let mut text = format!("{}{}", finding.message, finding.times());
    let scenario = format!("{} › {}", check.scenario, check.step);
    let values = [
        ("scenario", scenario.as_str()),
        ("expected", &check.expected),
        ("actual", &check.actual),
        ("pointer", check.pointer.as_deref().unwrap_or_default()),
        ("clause", check.sentence().unwrap_or_default()),
        ("remedy", check.remedy().unwrap_or_default()),
        ("repeat", finding.repeat.as_deref().unwrap_or_default()),
    ];
    add_values(&mut text, &values);
    let place = at.map(|at| format!("file={},line={},", property(&at.file), at.line));
    let (place, title) = (place.unwrap_or_default(), property(&title));
    Some(format!("::{level} {place}title={title}::{}", message(&text)))
}

/// The place of the scenario, for a check without a place of its own.
fn scenario_place(report: &Report, check: &CheckResult) -> Option<Location> {
    let scenarios = report.files.iter().flat_map(|file| &file.scenarios);
    let mut named = scenarios.filter(|scenario| scenario.name == *check.scenario);
    named.next().map(|scenario| scenario.at.clone())
}

/// An annotation at the target file, if there is one.
fn of_target(report: &Report, level: &str, title: &str, text: &str) -> String {
    // `--target` may also be a base address, which is not a file.
    let file = report.target_file.as_deref().filter(|file| !file.contains("://"));
    let place = file.map(|file| format!("file={},line=1,", property(file))).unwrap_or_default();
    format!("::{level} {place}title={}::{}", property(title), message(text))
}

/// Escapes the text of an annotation.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of an annotation. A colon or a comma would end it.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{message, property};

    #[test]
    fn characters_that_end_an_annotation_are_escaped() {
        assert_eq!(message("100%\r\n::error::x, y"), "100%25%0D%0A::error::x, y");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
    }
}
