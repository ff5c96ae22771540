//! The result of exploring on a terminal: violations, warnings, differences, and the outcome.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use moot_fixtures::register;

use super::Exploration;
use super::differences::Differences;
use super::violation::Violation;
use crate::exchange::{TargetClass, escape};
use crate::report::color_of;
use crate::report::terminal::{Detail, add_field, add_section, paint};
use crate::scenario::ScenarioName;
use crate::verdict::result::{ExpectedFailure, ExpectedState, RunOutcome, RunResult};
use crate::verdict::{Verdict, pluralize};

/// The highest number of lines of a section. Further lines are counted.
const LINES_MAX: usize = 40;
/// The highest number of acts that are named for one difference.
const ACTS_MAX: usize = 3;
/// The highest number of characters of an expected or actual value.
const VALUE_CHARACTERS_MAX: usize = 600;
/// The highest number of requests that are shown for a violation. The saved file has all.
const REQUESTS_MAX: usize = 20;

/// The whole text. `saved` is the file with the scenarios that reproduce the violations.
pub fn text(explored: &Exploration, saved: Option<&str>, detail: Detail) -> String {
    let mut out = String::new();
    for violation in &explored.violations {
        block(&mut out, violation, explored.result.target.class);
    }
    if detail > Detail::Quiet {
        let warnings = explored.warnings.iter().map(|(id, (message, times))| {
            (id.as_str(), format!("{message} ({})", pluralize(times, "time")))
        });
        section(&mut out, "Warnings", warnings);
        let differs = by_what(&explored.differences);
        section(&mut out, "Unlike the mock, and allowed", differs.into_iter());
        let expected = explored.result.expected.iter();
        section(&mut out, "Expected failures", expected.map(expected_failure));
        let not_walked = explored.not_walked.iter();
        let reasons = not_walked.map(|(reason, times)| (reason.as_str(), pluralize(times, "case")));
        section(&mut out, "Did not run to the end", reasons);
        let left = explored.result.residue.iter().map(|residue| {
            let id = residue.id.as_deref().unwrap_or("id unknown");
            (residue.kind.as_str(), format!("{id}, by {}", residue.scenario))
        });
        section(&mut out, "Left on the target", left);
    }
    outcome(&mut out, explored, saved);
    out
}

fn block(out: &mut String, violation: &Violation, class: TargetClass) {
    let requirement = &violation.requirement;
    let row = register::get(requirement);
    let fail = paint::verdict(Verdict::Fail, "FAIL");
    let _ = writeln!(out, "{fail}  {}", paint::bold(requirement));
    let mut line = |name: &str, value: &str| add_field(out, 9, name, &escape::block(value));
    let cut = |text: &str| escape::cut(text, VALUE_CHARACTERS_MAX);
    if let Some((step, check)) = violation.check() {
        line("said", &cut(&check.message));
        line("expected", &cut(&check.expected));
        line("actual", &cut(&check.actual));
        line("pointer", check.pointer.as_deref().unwrap_or_default());
        line("case", &format!("{} › {}", violation.result.name, step.name));
    }
    if let Some(row) = row {
        line("clause", &format!("§{} {}", row.section, row.sentence));
    }
    let operations: Vec<&str> = violation.operations.iter().map(|it| it.as_str()).collect();
    line("on", &operations.join(", "));
    let (before, after) = (violation.acts_before, violation.case.acts.len());
    line(
        "shown by",
        &format!(
            "{}; this one had {}, now {after}",
            pluralize(violation.cases, "case"),
            pluralize(before, "act")
        ),
    );
    if class.keeps_addresses() {
        let curl = violation.curl();
        let skipped = curl.len().saturating_sub(REQUESTS_MAX);
        line("repeat", &curl[skipped..].join("\n"));
    }
    out.push('\n');
}

/// Each difference with the acts that showed it, the most frequent first.
fn by_what(differences: &Differences) -> Vec<(&str, String)> {
    let mut groups: BTreeMap<&str, (u32, &ScenarioName, Vec<&str>)> = BTreeMap::new();
    for ((act, what), (times, first)) in differences {
        let group = groups.entry(what).or_insert_with(|| (0, first, Vec::new()));
        group.0 += times;
        group.2.push(act);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (times, ..))| Reverse(*times));
    groups
        .into_iter()
        .map(|(what, (times, first, acts))| (what, acts_text(times, first, &acts)))
        .collect()
}

/// The acts that showed a difference.
fn acts_text(times: u32, first: &ScenarioName, acts: &[&str]) -> String {
    let shown = &acts[..acts.len().min(ACTS_MAX)];
    let more = match acts.len() - shown.len() {
        0 => String::new(),
        count => format!("; and {count} more"),
    };
    let times = match times {
        1 => "once, in".to_owned(),
        many => format!("{many} times, first in"),
    };
    format!("{}{more} ({times} {first})", shown.join("; "))
}

/// The state of an expected failure.
fn expected_failure(one: &ExpectedFailure) -> (&str, String) {
    let until = one.expires.as_ref().map(|day| format!(", until {day}")).unwrap_or_default();
    let seen = match (&one.state, one.names.first()) {
        (ExpectedState::Inapplicable, _) => one.note.clone().unwrap_or_default(),
        (_, Some(first)) => format!("{} times, first in {first}", one.names.len()),
        (_, None) => "not seen".to_owned(),
    };
    (one.id.as_str(), format!("{} ({}{until}): {seen}", one.reason, one.outcome.as_str()))
}

fn section<'a>(out: &mut String, title: &str, rows: impl Iterator<Item = (&'a str, String)>) {
    let rows: Vec<_> = rows.collect();
    let mut lines = String::new();
    for (name, said) in rows.iter().take(LINES_MAX) {
        let said = escape::cut(&escape::line(said), VALUE_CHARACTERS_MAX);
        let _ = writeln!(lines, "  {}: {said}", paint::name(escape::line(name)));
    }
    if rows.len() > LINES_MAX {
        let _ = writeln!(lines, "  … and {} more", rows.len() - LINES_MAX);
    }
    add_section(out, title, &lines);
}

fn outcome(out: &mut String, explored: &Exploration, saved: Option<&str>) {
    let result = &explored.result;
    if let Some(trouble) = &result.trouble {
        let _ = writeln!(out, "{}", escape::block(trouble));
    }
    if let Some(saved) = saved {
        let _ = writeln!(out, "saved     {saved}");
        let again = "with the same --target and --seed, runs the cases again";
        let _ = writeln!(out, "          moot run --scenarios {saved}, {again}");
    }
    let happened = |one: &&ExpectedFailure| one.state == ExpectedState::Happened;
    let expected = match result.expected.iter().filter(happened).count() {
        0 => String::new(),
        count => format!(", {count} expected"),
    };
    let found = explored.violations.len();
    let _ = writeln!(
        out,
        "{}: {} on {}, {} ran to the end, {}; {found} found{expected}; seed {}",
        paint::verdict(color_of(result.outcome), outcome_word(result)),
        pluralize(explored.cases, "case"),
        escape::line(&result.target.name),
        explored.walked,
        pluralize(result.requests_sent, "request"),
        result.seed,
    );
    let _ = writeln!(out, "repeat    {}", escape::line(&result.reproduce));
}

/// The outcome in words. Exploring proves nothing, so no outcome is "conformant".
pub(super) fn outcome_word(result: &RunResult) -> &'static str {
    match result.outcome {
        RunOutcome::Conformant => "nothing found",
        RunOutcome::NonConformant => "violations found",
        RunOutcome::Incomplete if result.trouble.is_some() => "not finished",
        RunOutcome::Incomplete => "nothing explored",
        RunOutcome::Unreachable => "target unreachable",
        RunOutcome::Usage | RunOutcome::Drifted | RunOutcome::Internal => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::by_what;
    use crate::scenario::ScenarioName;

    #[test]
    fn the_same_in_many_acts_is_one_line() {
        let found = [("a", "x", 1), ("a", "y", 2), ("b", "y", 3)].map(|(act, what, times)| {
            let first = ScenarioName::new("explored", format!("case-{times}"));
            ((act.to_owned(), what.to_owned()), (times, first))
        });
        let expected = [
            ("y", "a; b (5 times, first in explored/case-2)".to_owned()),
            ("x", "a (once, in explored/case-1)".to_owned()),
        ];
        assert_eq!(by_what(&found.into()), expected);
    }
}
