//! JUnit XML: a suite per scenario file, a case per scenario.
//!
//! | scenario | case |
//! |---|---|
//! | a check is `fail` or `drift` | failure, with the findings, their remedies and exchanges |
//! | a check is `error` | error, likewise |
//! | it, or one of its checks, was not run | skipped, with the reasons |
//! | none of its checks was applicable | skipped, with the reasons |
//! | it has a known failure | skipped, with the verdict and the reason |
//! | anything else | passed; `system-out` has the warnings and answers |
//!
//! A `warn` is not a failure, as in the exit code.

use std::collections::HashMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::document::FileResult;
use super::terminal::first_of;
use super::{Finding, Report, add_values};
use crate::scenario::ScenarioName;
use crate::verdict::Verdict;
use crate::verdict::result::{CheckResult, ScenarioResult};

/// The most reasons that a skipped case shows.
const REASONS_SHOWN_MAX: usize = 5;

/// The whole file.
///
/// # Errors
/// The error of the serialiser, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let mut junit = Junit::new("moot");
    junit.set_time(duration(report.duration_seconds));
    let mut checks: HashMap<&ScenarioName, Vec<&CheckResult>> = HashMap::new();
    for check in &report.checks {
        checks.entry(&*check.scenario).or_default().push(check);
    }
    for file in &report.files {
        junit.add_test_suite(suite(report, file, &checks));
    }
    if let Some(suite) = stale(report) {
        junit.add_test_suite(suite);
    }
    if let Some(trouble) = &report.trouble {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type(report.outcome.as_str()).set_message(trouble.clone());
        let mut suite = TestSuite::new("moot");
        suite.add_test_case(TestCase::new("the run as a whole", status));
        junit.add_test_suite(suite);
    }
    junit.to_string().map(|xml| without_skipped(&xml)).map_err(|error| error.to_string())
}

/// Removes the attribute `skipped` of all suites together: the common XSD allows it only for a single suite.
fn without_skipped(xml: &str) -> String {
    let whole = || {
        let (before, rest) = xml.split_once("<testsuites ")?;
        let (tag, after) = rest.split_once('>')?;
        let kept: Vec<&str> = tag.split(" skipped=\"").collect();
        let [head, tail] = kept.as_slice() else { return None };
        let (_, tail) = tail.split_once('"')?;
        Some(format!("{before}<testsuites {head}{tail}>{after}"))
    };
    whole().unwrap_or_else(|| xml.to_owned())
}

fn suite(
    report: &Report,
    file: &FileResult,
    checks: &HashMap<&ScenarioName, Vec<&CheckResult>>,
) -> TestSuite {
    let mut suite = TestSuite::new(file.name.clone());
    suite.set_time(duration(file.duration_seconds));
    for (name, value) in [
        ("moot_version", report.moot_version),
        ("section", file.section.as_str()),
        ("target", &report.target.base_url),
        ("seed", &report.seed.to_string()),
        ("reproduce", &report.reproduce),
    ] {
        suite.add_property((name, value));
    }
    for scenario in &file.scenarios {
        let checks = checks.get(&scenario.name).map(Vec::as_slice).unwrap_or_default();
        suite.add_test_case(case(report, &file.name, scenario, checks));
    }
    suite
}

fn case(
    report: &Report,
    file: &str,
    scenario: &ScenarioResult,
    checks: &[&CheckResult],
) -> TestCase {
    let worst = checks.iter().filter(|check| check.is_bad()).map(|check| check.verdict).max();
    let status = match worst {
        Some(Verdict::Error) => bad(report, NonSuccessKind::Error, checks),
        Some(_) => bad(report, NonSuccessKind::Failure, checks),
        None => skipped(scenario, checks),
    };
    let mut case = TestCase::new(scenario.name.to_string(), status);
    case.set_classname(file);
    case.set_time(scenario.duration);
    case.extra.insert("file".into(), (&*scenario.at.file).into());
    case.extra.insert("line".into(), scenario.at.line.to_string().into());
    let is_noted = |check: &&&CheckResult| {
        !check.is_bad()
            && (check.known.is_some() || matches!(check.verdict, Verdict::Warn | Verdict::Observed))
    };
    let note = |check: &&CheckResult| {
        let (verdict, subject) = (check.verdict.as_str(), check.subject.as_str());
        format!("{verdict} {subject} ({}): {}", check.step, details(check))
    };
    let notes: Vec<String> = checks.iter().filter(is_noted).map(note).collect();
    if !notes.is_empty() {
        case.set_system_out(notes.join("\n\n"));
    }
    case
}

/// Skipped if something was not judged or is a known failure, else passed.
fn skipped(scenario: &ScenarioResult, checks: &[&CheckResult]) -> TestCaseStatus {
    let mut reasons: Vec<String> = Vec::new();
    if let Some(why) = &scenario.not_run {
        let known = scenario.known.as_ref();
        let known = known.map(|known| format!(" (expected: {})", known.reason));
        reasons.push(format!("not run: {}{}", why.reason, known.unwrap_or_default()));
    }
    let is_unjudged = matches!(scenario.verdict, Verdict::NotRun | Verdict::NotApplicable);
    for check in checks {
        let verdict = check.verdict.as_str();
        let reason = match &check.known {
            Some(known) => format!("expected {verdict} ({}): {}", known.reason, check.message),
            None if is_unjudged && check.verdict == scenario.verdict => {
                format!("{verdict}: {}", check.message)
            }
            None => continue,
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if reasons.is_empty() {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::skipped();
    status.set_message(first_of(reasons.into_iter(), REASONS_SHOWN_MAX).join("; "));
    status
}

/// The findings with a check in this scenario, in the order of the report.
fn bad(report: &Report, kind: NonSuccessKind, checks: &[&CheckResult]) -> TestCaseStatus {
    let mut blocks: Vec<String> = Vec::new();
    let mut first: Option<&CheckResult> = None;
    let scenario = checks.first().map(|check| &*check.scenario);
    for finding in report.findings.iter().filter(|finding| finding.is_bad()) {
        let seen = finding.at.iter().filter_map(|at| report.checks.get(*at));
        if let Some(check) = seen.into_iter().find(|check| Some(&*check.scenario) == scenario) {
            first = first.or(Some(check));
            blocks.push(block(report, finding, check));
        }
    }
    let mut status = TestCaseStatus::non_success(kind);
    // All failures of this scenario may be explained by a finding of another scenario.
    let Some(first) = first.or_else(|| checks.iter().find(|check| check.is_bad()).copied()) else {
        return status;
    };
    if blocks.is_empty() {
        blocks.push(details(first));
    }
    let more = match blocks.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    status.set_type(first.verdict.as_str()).set_message(format!("{}{more}", first.message));
    status.set_description(blocks.join("\n\n"));
    status
}

/// A finding in one scenario: the check, the command that repeats it, and the exchange.
fn block(report: &Report, finding: &Finding, check: &CheckResult) -> String {
    let (verdict, subject) = (check.verdict.as_str(), check.subject.as_str());
    let mut out = format!("{verdict} {subject} at {}\n{}", check.step, details(check));
    if let Some(repeat) = &finding.repeat {
        out.push_str(&format!("\nrepeat: {repeat}"));
    }
    let number = check.exchange_number();
    if let Some(row) = report.exchanges.iter().find(|row| Some(row.number) == number) {
        out.push_str(&format!("\nexchange #{}:\n{}", row.number, row.text()));
    }
    out
}

/// A case for each known failure that did not happen, because that is drift.
fn stale(report: &Report) -> Option<TestSuite> {
    let all: Vec<_> = report.expected.iter().filter(|one| one.is_stale()).collect();
    if all.is_empty() {
        return None;
    }
    let mut suite = TestSuite::new("expected failures");
    for one in all {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let outcome = one.outcome.as_str();
        status.set_type("drift").set_message(format!(
            "expected {outcome} did not happen ({}): remove it from the file",
            one.reason
        ));
        suite.add_test_case(TestCase::new(one.id.clone(), status));
    }
    Some(suite)
}

fn details(check: &CheckResult) -> String {
    let mut out = check.message.clone();
    let place = check.place.as_ref().map(ToString::to_string);
    let values = [
        ("expected", check.expected.as_str()),
        ("actual", &check.actual),
        ("pointer", check.pointer.as_deref().unwrap_or_default()),
        ("clause", &clause(check)),
        ("remedy", check.remedy().unwrap_or_default()),
        ("place", place.as_deref().unwrap_or_default()),
        ("curl", check.curl.as_deref().unwrap_or_default()),
    ];
    add_values(&mut out, &values);
    out
}

fn clause(check: &CheckResult) -> String {
    match check.sentence() {
        Some(sentence) => format!("§{} {sentence}", check.section),
        None => format!("§{}", check.section),
    }
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
