//! Markdown for the summary of a CI step: the outcome, a table, what failed, what was not run.

use std::fmt::Write as _;

use super::{Finding, Report};
use crate::result::Counts;
use crate::result::{ExpectedFailure, ExpectedState};
use crate::terminal::{counted, escape};

/// CI systems cut or refuse long summaries; beyond this many failures only the number is said.
const FAILURES_SHOWN_MAX: usize = 50;

/// Places listed of one failure.
const PLACES_SHOWN_MAX: usize = 5;

/// Warnings are listed up to this many.
const WARNINGS_SHOWN_MAX: usize = 30;

/// The whole text.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    write_into(&mut out, report).expect("a String takes all");
    out
}

fn write_into(out: &mut String, report: &Report) -> std::fmt::Result {
    let e = escape::markdown;
    // Programs know our reports by this line.
    writeln!(out, "<!-- moot report -->\n")?;
    writeln!(out, "## {} {}\n", sign(report.exit_code), report.outcome.as_str())?;
    writeln!(
        out,
        "{}: exit code {}. Target **{}** ({}), {} in {:.1} s, seed {}.\n",
        capitalised(report.meaning),
        report.exit_code,
        e(&report.target.base_url),
        e(&report.target.class.to_string()),
        counted(report.requests_sent, "request"),
        report.duration_seconds,
        report.seed,
    )?;
    if let Some(trouble) = &report.trouble {
        writeln!(out, "{}\n", escape::markdown_block(trouble))?;
    }
    if let Some(snapshots) = &report.snapshots {
        writeln!(out, "Snapshots: {}.\n", e(&snapshots.line()))?;
    }
    table(out, report)?;
    failures(out, report)?;
    warnings(out, report)?;
    not_run(out, report)?;
    expected(out, report)?;
    answers(out, report)?;
    if !report.residue.is_empty() {
        writeln!(out, "### Left behind\n")?;
        for left in &report.residue {
            let id = left.id.as_deref().unwrap_or("id unknown");
            writeln!(out, "- {} {} ({})", e(&left.kind), e(id), e(&left.scenario))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Reproduce:\n\n{}", escape::markdown_block(&report.reproduce))?;
    writeln!(out, "\nmoot {}, interface {}", report.moot_version, report.interface_version)
}

fn table(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.files.is_empty() {
        return Ok(());
    }
    let shown = report.columns();
    let heads: Vec<&str> = shown.iter().map(|verdict| verdict.as_str()).collect();
    writeln!(out, "| § | file | {} |", heads.join(" | "))?;
    writeln!(out, "|---|---|{}", "---:|".repeat(shown.len()))?;
    let cells = |counts: &Counts| {
        let numbers: Vec<String> = shown.iter().map(|v| number(counts.of(*v))).collect();
        numbers.join(" | ")
    };
    for file in &report.files {
        let name = escape::markdown(&file.name);
        writeln!(out, "| {} | {name} | {} |", file.section, cells(&file.counts))?;
    }
    writeln!(out, "| | **all** | {} |\n", cells(&report.counts))
}

fn number(count: usize) -> String {
    if count == 0 { String::new() } else { count.to_string() }
}

fn failures(out: &mut String, report: &Report) -> std::fmt::Result {
    let bad: Vec<&Finding> = report.findings.iter().filter(|finding| finding.is_bad()).collect();
    if bad.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Failures\n")?;
    for finding in bad.iter().take(FAILURES_SHOWN_MAX) {
        failure(out, report, finding)?;
    }
    if let Some(more) = bad.len().checked_sub(FAILURES_SHOWN_MAX).filter(|more| *more > 0) {
        writeln!(out, "…and {more} more; the other reports hold them all.\n")?;
    }
    Ok(())
}

fn failure(out: &mut String, report: &Report, finding: &Finding) -> std::fmt::Result {
    let e = escape::markdown;
    let Some(check) = finding.first(&report.checks) else { return Ok(()) };
    writeln!(
        out,
        "<details><summary><b>{}</b> {} · {}{}</summary>\n",
        check.verdict.as_str(),
        e(check.subject.as_str()),
        e(&check.scenario),
        finding.times(),
    )?;
    writeln!(out, "{}\n", e(&finding.message))?;
    let place = check.place.as_ref().map(ToString::to_string).unwrap_or_default();
    let sentence = check.sentence().unwrap_or_default();
    if !finding.title.is_empty() {
        writeln!(out, "- case: {}", e(&finding.title))?;
    }
    writeln!(out, "- step: {}", e(&check.step))?;
    writeln!(out, "{}", format!("- clause: §{} {}", check.section, e(sentence)).trim_end())?;
    if !place.is_empty() {
        writeln!(out, "- place: {}", e(&place))?;
    }
    if let Some(pointer) = &check.pointer {
        writeln!(out, "- pointer: {}", e(pointer))?;
    }
    elsewhere(out, report, finding)?;
    for (name, value) in [("Expected", &check.expected), ("Actual", &check.actual)] {
        if !value.is_empty() {
            writeln!(out, "\n{name}:\n\n{}", escape::markdown_block(value))?;
        }
    }
    if let Some(repeat) = &finding.repeat {
        writeln!(out, "\nRepeat:\n\n{}", escape::markdown_block(repeat))?;
    }
    if let Some(curl) = &check.curl {
        writeln!(out, "\n{}", escape::markdown_block(curl))?;
    }
    writeln!(out, "\n</details>\n")
}

fn elsewhere(out: &mut String, report: &Report, finding: &Finding) -> std::fmt::Result {
    let others = finding.others(&report.checks);
    for other in others.iter().take(PLACES_SHOWN_MAX) {
        writeln!(out, "- also at: {}", escape::markdown(other))?;
    }
    if let Some(more) = others.len().checked_sub(PLACES_SHOWN_MAX).filter(|more| *more > 0) {
        writeln!(out, "- and {more} more")?;
    }
    for told in finding.with_it(&report.checks).iter().take(PLACES_SHOWN_MAX) {
        writeln!(out, "- with it: {}", escape::markdown(told))?;
    }
    Ok(())
}

fn warnings(out: &mut String, report: &Report) -> std::fmt::Result {
    let warned: Vec<&Finding> =
        report.findings.iter().filter(|finding| !finding.is_bad()).collect();
    if warned.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Warnings\n")?;
    for finding in warned.iter().take(WARNINGS_SHOWN_MAX) {
        let e = escape::markdown;
        let scenario = finding.first(&report.checks).map_or("", |check| &*check.scenario);
        let (subject, message) = (e(finding.subject.as_str()), e(&finding.message));
        writeln!(out, "- {subject}: {message} ({}){}", e(scenario), finding.times())?;
    }
    if let Some(more) = warned.len().checked_sub(WARNINGS_SHOWN_MAX).filter(|more| *more > 0) {
        writeln!(out, "- …and {more} more")?;
    }
    writeln!(out)
}

fn not_run(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.not_run.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Not run\n")?;
    for one in &report.not_run {
        let setting = one.setting.as_deref().map(escape::markdown);
        let setting = setting.map(|text| format!("; enable it with {text}")).unwrap_or_default();
        let tolerated = match (&one.known, one.is_tolerated) {
            (Some(reason), _) => format!(" (expected: {})", escape::markdown(reason)),
            (None, true) => " (tolerated)".to_owned(),
            (None, false) => String::new(),
        };
        let reason = escape::markdown(&one.reason);
        writeln!(out, "- {} × {reason}{setting}{tolerated}", one.names.len())?;
    }
    writeln!(out)
}

fn expected(out: &mut String, report: &Report) -> std::fmt::Result {
    let judged = |one: &&ExpectedFailure| {
        matches!(one.state, ExpectedState::Happened | ExpectedState::Stale)
    };
    let rows: Vec<&ExpectedFailure> = report.expected.iter().filter(judged).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let e = escape::markdown;
    writeln!(out, "### Expected failures\n\n| what | expected | seen | reason | until |")?;
    writeln!(out, "|---|---|---:|---|---|")?;
    for one in rows {
        let seen = match one.is_stale() {
            true => "did not happen: take it from the file".to_owned(),
            false => format!("{} ×", one.names.len()),
        };
        let (id, reason) = (e(&one.id), e(&one.reason));
        let until = one.expires.as_deref().unwrap_or_default();
        writeln!(out, "| {id} | {} | {seen} | {reason} | {until} |", one.outcome.as_str())?;
    }
    writeln!(out)
}

fn answers(out: &mut String, report: &Report) -> std::fmt::Result {
    if report.answers.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Answers to open questions\n\n| § | question | answer |\n|---|---|---|")?;
    for answer in &report.answers {
        let shown = answer.line();
        let (question, shown) = (escape::markdown(&answer.question), escape::markdown(&shown));
        writeln!(out, "| {} | {question} | {shown} |", answer.section)?;
    }
    writeln!(out)
}

const fn sign(exit_code: u8) -> &'static str {
    match exit_code {
        0 => "✅",
        1 | 2 | 70 => "❌",
        _ => "⚠️",
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
