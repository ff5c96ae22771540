//! JUnit XML: a suite per scenario file, a case per check.
//!
//! | verdict | case |
//! |---|---|
//! | `fail`, `drift` | failure, with the verdict as its type |
//! | `error` | error |
//! | `not run`, `not applicable` | skipped, with the reason |
//! | `warn`, `observed` | passed; what there is to say stands in `system-out` |
//! | `pass` | passed |
//! | any, of a known failure | skipped, with the verdict and the reason |
//!
//! A scenario that was not run is one skipped case, so that it is not overlooked. A `warn` is no
//! failure here as it is none in the exit code.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use super::document::FileResult;
use crate::result::{CheckResult, ScenarioResult};

use crate::verdict::Verdict;

/// The whole file.
///
/// # Errors
/// The serialiser's, as text.
pub fn render(report: &Report) -> Result<String, String> {
    let mut junit = Junit::new("moot");
    junit.set_time(duration(report.duration_seconds));
    let mut checks: BTreeMap<&str, Vec<&CheckResult>> = BTreeMap::new();
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

/// The common XSD knows how many were skipped of a suite, but not of all suites.
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
    checks: &BTreeMap<&str, Vec<&CheckResult>>,
) -> TestSuite {
    let mut suite = TestSuite::new(file.name.clone());
    suite.set_time(duration(file.duration_seconds));
    for (name, value) in [
        ("section", file.section.as_str()),
        ("target", &report.target.base_url),
        ("seed", &report.seed.to_string()),
        ("reproduce", &report.reproduce),
    ] {
        suite.add_property((name, value));
    }
    for scenario in &file.scenarios {
        if let Some(why) = &scenario.not_run {
            let reason = &why.reason;
            let known = scenario.known.as_ref();
            let known = known.map(|known| format!(" (expected: {})", known.reason));
            let reason = format!("{reason}{}", known.unwrap_or_default());
            suite.add_test_case(not_run(scenario, &reason));
        }
        let checks = checks.get(scenario.name.as_str()).into_iter().flatten();
        suite.add_test_cases(checks.map(|check| case(check)));
    }
    suite
}

fn not_run(scenario: &ScenarioResult, reason: &str) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(format!("not run: {reason}"));
    let mut case = TestCase::new("the whole scenario", status);
    case.set_classname(scenario.name.clone());
    case
}

fn case(check: &CheckResult) -> TestCase {
    let status = match check.verdict {
        _ if check.known.is_some() => expected(check),
        Verdict::Fail | Verdict::Drift => bad(check, NonSuccessKind::Failure),
        Verdict::Error => bad(check, NonSuccessKind::Error),
        Verdict::NotRun | Verdict::NotApplicable => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("{}: {}", check.verdict.as_str(), check.message));
            status
        }
        Verdict::Warn | Verdict::Observed | Verdict::Pass => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(format!("{} / {}", check.step, check.subject.as_str()), status);
    case.set_classname(&*check.scenario);
    if check.known.is_some() || matches!(check.verdict, Verdict::Warn | Verdict::Observed) {
        case.set_system_out(format!("{}: {}", check.verdict.as_str(), details(check)));
    }
    case
}

/// A known failure: skipped, so that it is seen and breaks nothing.
fn expected(check: &CheckResult) -> TestCaseStatus {
    let reason = check.known.as_ref().map_or("", |known| known.reason.as_str());
    let mut status = TestCaseStatus::skipped();
    let verdict = check.verdict.as_str();
    status.set_message(format!("expected {verdict} ({reason}): {}", check.message));
    status
}

/// Known failures that did not happen: a case each, since they are drift.
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
            "expected {outcome} did not happen ({}): take it from the file",
            one.reason
        ));
        suite.add_test_case(TestCase::new(one.id.clone(), status));
    }
    Some(suite)
}

fn bad(check: &CheckResult, kind: NonSuccessKind) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(check.verdict.as_str()).set_message(check.message.clone());
    status.set_description(details(check));
    status
}

fn details(check: &CheckResult) -> String {
    let mut out = check.message.clone();
    let place = check.place.as_ref().map(ToString::to_string);
    for (name, value) in [
        ("expected", check.expected.as_str()),
        ("actual", &check.actual),
        ("pointer", check.pointer.as_deref().unwrap_or_default()),
        ("clause", &clause(check)),
        ("place", place.as_deref().unwrap_or_default()),
        ("curl", check.curl.as_deref().unwrap_or_default()),
    ] {
        if !value.is_empty() {
            out.push_str(&format!("\n{name}: {}", value.trim_end()));
        }
    }
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
