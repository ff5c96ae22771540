//! Every report format of the sample result, as accepted snapshots.

use std::sync::Arc;

use moot_harness::report::Format;
use moot_harness::report::terminal::Detail;
use moot_harness::report::terminal::paint::plain;
use moot_harness::verdict::Verdict;
use moot_harness::verdict::result::{RunOutcome, RunResult, Subject};
use strum::VariantArray as _;

use crate::report_sample::{check as check_of, rendered, result, unreachable};

#[track_caller]
fn check(format: Format, detail: Detail, result: &RunResult) -> String {
    let artefact = rendered(format, result, detail).expect("no secret in it");
    plain(&artefact).replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// The reports of the sample must not change when the register grows.
fn without_requirements(json: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    value["requirements"] = serde_json::json!([]);
    value
}

#[test]
fn text() {
    insta::assert_snapshot!(check(Format::Text, Detail::Normal, &result()));
}

#[test]
fn text_in_detail() {
    insta::assert_snapshot!(check(Format::Text, Detail::Verbose, &result()));
}

#[test]
fn text_quiet() {
    insta::assert_snapshot!(check(Format::Text, Detail::Quiet, &result()));
}

#[test]
fn text_of_an_unreachable_target() {
    insta::assert_snapshot!(check(Format::Text, Detail::Normal, &unreachable()));
}

#[test]
fn only_the_text_report_has_colours() {
    for format in Format::VARIANTS.iter().copied() {
        let artefact = rendered(format, &result(), Detail::Normal).expect("no secret in it");
        assert_eq!(artefact.contains('\u{1b}'), format == Format::Text, "{format}");
        assert!(!plain(&artefact).contains('\u{1b}'), "{format}");
    }
}

#[test]
fn json() {
    insta::assert_json_snapshot!(without_requirements(&check(
        Format::Json,
        Detail::Normal,
        &result()
    )));
}

#[test]
fn junit() {
    insta::assert_snapshot!(check(Format::Junit, Detail::Normal, &result()));
}

#[test]
fn junit_of_an_unreachable_target() {
    insta::assert_snapshot!(check(Format::Junit, Detail::Normal, &unreachable()));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(check(Format::Markdown, Detail::Normal, &result()));
}

#[test]
fn github() {
    let mut result = result();
    result.repeat.target = Some("staging.yaml".to_owned());
    insta::assert_snapshot!(check(Format::Github, Detail::Normal, &result));
}

#[test]
fn github_of_an_unreachable_target() {
    insta::assert_snapshot!(check(Format::Github, Detail::Normal, &unreachable()));
}

#[test]
fn ndjson() {
    insta::assert_snapshot!(check(Format::Ndjson, Detail::Normal, &result()));
}

#[test]
fn a_fault_of_ours_is_an_error_and_the_statement_of_the_register_is_shown() {
    let mut result = result();
    let row = &moot_fixtures::register::all()[0];
    let subject = Subject::Requirement(row.id.as_str().into());
    let broken = check_of(subject, Verdict::Error, "the check panicked", None);
    result.scenarios[0].steps[0].checks.push(broken);
    let xml = check(Format::Junit, Detail::Normal, &result);
    assert!(xml.contains("<error message=\"the check panicked (and 2 more)\" type"), "{xml}");
    let text = check(Format::Text, Detail::Normal, &result);
    assert!(text.contains("ERROR  04_05") && text.contains(&row.sentence), "{text}");
}

#[test]
fn the_page_loads_nothing_and_is_complete() {
    let page = check(Format::Html, Detail::Normal, &result());
    for part in [
        "sample.detail-is-text",
        "the text is empty",
        "the target has no second company",
        "applications.other_company in the target file",
        "sample_question",
        "moot run --target staging.yaml --seed 42",
        "no response in time: 30 s for the headers",
        "id=\"x1\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for part in ["src=", "href=\"http", "url(", "@import", "fetch("] {
        assert!(!page.contains(part), "{part}");
    }
}

/// A result of the size of the suite: scenarios, steps and exchanges.
#[test]
fn the_page_of_a_green_run_is_small() {
    const SCENARIOS: usize = 500;
    const STEPS: usize = 4;
    const EXCHANGES: usize = 4;
    const BYTES_MAX: usize = 500_000;
    let mut result = result();
    result.outcome = RunOutcome::Conformant;
    let mut green = result.scenarios.swap_remove(0);
    green.verdict = Verdict::Pass;
    green.steps[0].verdict = Verdict::Pass;
    green.steps[0].checks.retain(|check| check.verdict == Verdict::Pass);
    let exchange = green.steps[0].exchanges[0].clone();
    green.steps[0].exchanges = vec![exchange; EXCHANGES];
    green.steps = vec![green.steps[0].clone(); STEPS];
    result.scenarios = vec![green; SCENARIOS];
    let page = check(Format::Html, Detail::Normal, &result);
    assert!(page.len() < BYTES_MAX, "{} bytes", page.len());
    assert!(page.contains("POST /v1/requests"), "its steps are listed");
}

/// A scenario with checks, and two that were not run for the same reason. One of those has checks.
#[test]
fn numbers_agree_between_reports_and_equal_reasons_are_one_row() {
    let mut result = result();
    let mut unwalked = result.scenarios[0].clone();
    let not_run = result.scenarios[1].not_run.clone().expect("it was not run");
    unwalked.name = "05_isolation/with-checks".into();
    unwalked.verdict = Verdict::NotRun;
    for check in &mut unwalked.steps[0].checks {
        check.verdict = Verdict::NotRun;
        check.message.clone_from(&not_run.reason);
        check.scenario = Arc::new("05_isolation/with-checks".into());
    }
    let checks = 2 * unwalked.steps[0].checks.len() + 1;
    unwalked.not_run = Some(not_run);
    result.scenarios.push(unwalked);
    let json: serde_json::Value =
        serde_json::from_str(&check(Format::Json, Detail::Normal, &result)).expect("it is JSON");
    let total = &json["counts"]["total"];
    assert_eq!(*total, checks);
    let files = json["files"].as_array().expect("a list").iter();
    let of_files: u64 = files.filter_map(|file| file["counts"]["total"].as_u64()).sum();
    assert_eq!(*total, of_files);
    // A scenario without checks counts as one.
    assert_eq!(json["checks"].as_array().map(Vec::len), Some(checks - 1));
    let scenarios = &json["scenario_counts"]["total"];
    let scale = format!("{total} checks in {scenarios} scenarios");
    assert!(check(Format::Text, Detail::Normal, &result).contains(&scale), "{scale}");
    let scale = format!("{total} in {scenarios} scenarios");
    assert!(check(Format::Html, Detail::Normal, &result).contains(&scale), "{scale}");
    let tests = format!("<testsuites name=\"moot\" tests=\"{scenarios}\"");
    assert!(check(Format::Junit, Detail::Normal, &result).contains(&tests), "{tests}");
    let reasons: Vec<&str> = json["not_run"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["reason"].as_str())
        .collect();
    let mut distinct = reasons.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), reasons.len(), "{reasons:?}");
}

#[test]
fn the_filter_bar_covers_no_target_of_a_link() {
    let page = check(Format::Html, Detail::Normal, &result());
    assert!(page.contains("position: sticky") && page.contains("scroll-padding-top"));
}

#[test]
fn the_same_result_gives_the_same_bytes() {
    for format in Format::VARIANTS.iter().copied() {
        assert_eq!(
            check(format, Detail::Normal, &result()),
            check(format, Detail::Normal, &result())
        );
    }
}
