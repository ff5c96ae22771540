//! Known failures (`expected:` of a target file, `--expected`), with the real binary.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Ran, Running, folder_of, message, run};
use crate::deployment::target;

const SAMPLE: &str = r#"section: "4.2"
title: A sample
scenarios:
  - id: sound
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect: { list-legal-requests.status-200: { status: 200 } }
        observe: { per_page: /pagination/per_page }
  - id: violates
    title: No target can hold this
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect: { list-workflows.status-200: { status: 418 } }
  - id: stopped
    title: What fails stops the rest
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect: { list-workflows.status-200: { status: 418 } }
      - request: GET /v1/workflows
        token: read
        require: { status: 418 }
        expect: { list-workflows.shape: { status: 200 } }
  - id: unmet
    title: Nobody fetches anything here
    needs: [read]
    steps:
      - request: GET /v1/webhooks
        token: read
        require: { status: 418 }
        expect: { list-webhooks.status-200: { status: 200 } }
"#;

/// Runs these scenarios of the sample in process with this file of known failures.
fn sample(selectors: &[&str], expected: &str, words: &[&str]) -> (tempfile::TempDir, Ran) {
    let dir = folder_of(&[("sample.yaml", SAMPLE), ("known.yaml", expected)]);
    let own = ["--scenarios", "sample.yaml", "--expected", "known.yaml"];
    let ran = run(&[&["run"], selectors, &own, words].concat(), dir.path());
    (dir, ran)
}

/// The state of each entry, and the report.
#[track_caller]
fn check(selectors: &[&str], expected: &str, code: i32, states: &[&str]) -> Value {
    let (_dir, ran) = sample(selectors, expected, &["--format", "json"]);
    assert_eq!(ran.code, Some(code), "{expected}\n{}{}", ran.stdout, ran.stderr);
    let report = ran.json();
    let entries = report["expected"].as_array().expect("a list").iter();
    let seen: Vec<&str> = entries.filter_map(|entry| entry["state"].as_str()).collect();
    assert_eq!(seen, states, "{expected}\n{}", report["expected"]);
    report
}

#[test]
fn an_expected_failure_does_not_count() {
    let two = "- { id: sample/violates, outcome: fail, reason: OPS-1 }\n\
               - { id: 'sample/stopped#list-workflows.status-200', outcome: fail, reason: OPS-2 }\n";
    let report = check(&["sample/violates"], two, 0, &["happened", "unjudged"]);
    assert_eq!((&report["counts"]["expected"], &report["counts"]["fail"]), (&1.into(), &0.into()));
    check(&["sample/violates", "sample/stopped"], two, 0, &["happened", "happened"]);
    let by_requirement = "expected:\n  - id: list-workflows.status-200\n    outcome: fail\n    \
                          reason: OPS-3\n    expires: 2999-12-31\n";
    let report = check(&["sound", "violates", "stopped"], by_requirement, 0, &["happened"]);
    assert_eq!(report["expected"][0]["expires"], "2999-12-31");
    let not_run = "- { id: 'sample/unm*', outcome: not run, reason: OPS-4 }\n";
    let report = check(&["sound", "unmet"], not_run, 0, &["happened"]);
    assert_eq!(report["not_run"][0]["known"], "OPS-4");
    check(&["sound", "unmet"], "[]", 3, &[]);
}

#[test]
fn only_named_failures_are_excused() {
    let known = "- { id: sample/violates, outcome: fail, reason: OPS-1 }\n";
    let report = check(&["violates", "stopped"], known, 1, &["happened"]);
    let checks = report["checks"].as_array().expect("a list").iter();
    let failed = checks.filter(|check| check["verdict"] == "fail" && check["known"].is_null());
    let scenarios: Vec<&str> = failed.filter_map(|check| check["scenario"].as_str()).collect();
    assert_eq!(scenarios, ["sample/stopped"]);
    // A verdict that differs from the expected one counts, and the entry is stale.
    let warn = "- { id: sample/violates, outcome: warn, reason: OPS-1 }\n";
    check(&["violates"], warn, 1, &["stale"]);
}

#[test]
fn an_expected_failure_that_does_not_occur_is_drift() {
    let sound = "- { id: sample/sound, outcome: fail, reason: mended long ago }\n";
    let report = check(&["sound"], sound, 5, &["stale"]);
    assert_eq!(report["outcome"], "drifted");
    check(&["sound", "violates"], sound, 1, &["stale"]);
    let runs = "- { id: sample/sound, outcome: not run, reason: OPS-1 }\n";
    check(&["sound"], runs, 5, &["stale"]);
    // A check that was not selected or not judged makes no entry stale.
    let stopped = "- { id: sample/unmet, outcome: fail, reason: OPS-1 }\n";
    check(&["sound"], stopped, 0, &["unjudged"]);
    check(&["sound", "unmet"], stopped, 3, &["unjudged"]);
}

#[test]
fn a_condition_decides_whether_an_entry_applies() {
    for (condition, code, state) in [
        ("{ answer: { per_page: 25 } }", 0, "happened"),
        ("{ answer: { per_page: 10 } }", 1, "inapplicable"),
        ("{ needs: [read, admin] }", 0, "happened"),
        ("{ lacks: [read] }", 1, "inapplicable"),
    ] {
        let entry = format!(
            "- id: sample/violates\n  outcome: fail\n  reason: OPS-1\n  condition: {condition}\n"
        );
        check(&["sound", "violates"], &entry, code, &[state]);
    }
}

#[test]
fn a_wrong_entry_is_2_with_its_place() {
    let entry = |more: &str| format!("- id: sample/violates\n  reason: OPS-1\n{more}");
    let messages = [
        entry("  outcome: fail\n  expires: 2020-01-31\n"),
        entry("  outcome: fail\n  expires: soon\n"),
        entry("  outcome: fial\n"),
        entry("  outcome: fail\n  reasno: x\n"),
        entry(""),
        entry("  outcome: fail\n  condition: { needs: [raed] }\n"),
        entry("  outcome: fail\n  condition: { answer: { per_pge: 1 } }\n"),
        "- { id: sample/violate, outcome: fail, reason: x }\n".to_owned(),
        "- { id: list-workflow.status-200, outcome: fail, reason: x }\n".to_owned(),
        "- { id: create-legal-request.status-201, outcome: fail, reason: x }\n".to_owned(),
        "- { id: sample/sound, outcome: fail, reason: '' }\n".to_owned(),
        "known: []\n".to_owned(),
    ]
    .map(|text| {
        let (_dir, ran) = sample(&[], &text, &[]);
        assert_eq!(ran.code, Some(2), "{text}\n{}{}", ran.stdout, ran.stderr);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: known.yaml:1:7: the expected failure `sample/violates` expired on 2020-01-31 (OPS-1); fix it, or move `expires`
    error: known.yaml:4:12: `soon` is not a day, such as `2027-01-31`
    error: known.yaml:3:12: `fial` is not allowed here (allowed words: `fail`, `warn`, `not run`, `not_run`); did you mean `fail`?
    error: known.yaml:4:3: unknown key `reasno`; did you mean `reason`?
    error: known.yaml:2:3: the key `outcome` is missing
    error: known.yaml:4:24: there is no need `raed`; did you mean `read`?
    error: known.yaml:4:35: there is no open question `per_pge`; did you mean `per_page`?
    error: known.yaml:1:9: no scenario is called `sample/violate`; did you mean `sample/violates`?
    error: known.yaml:1:9: there is no requirement `list-workflow.status-200`; did you mean `list-workflows.status-200`? (a scenario is named `FILE/ID`)
    error: known.yaml:1:9: no check of these scenarios is `create-legal-request.status-201`; did you mean `list-legal-requests.status-200`?
    error: known.yaml:1:46: `reason` is empty: give the reason, for the readers of the report
    error: known.yaml:1:1: unknown key `known`; there is only expected
    ");
}

#[test]
fn every_report_shows_expected_failures() {
    let kinds = ["text", "json", "junit", "html", "markdown", "ndjson"];
    let words: Vec<String> =
        kinds.iter().flat_map(|kind| ["--report".to_owned(), format!("{kind}=r.{kind}")]).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let known = "- { id: sample/violates, outcome: fail, reason: OPS-77 }\n\
                 - { id: sample/sound, outcome: warn, reason: OPS-78 }\n";
    let (dir, ran) = sample(&["sound", "violates"], known, &words);
    assert_eq!(ran.code, Some(5), "{}{}", ran.stdout, ran.stderr);
    let read = |kind: &str| fs::read_to_string(dir.path().join(format!("r.{kind}"))).expect(kind);
    for kind in kinds {
        assert!(read(kind).contains("OPS-77") && read(kind).contains("OPS-78"), "{kind}");
    }
    let junit = read("junit");
    let known: Vec<&str> = junit.lines().map(str::trim).filter(|it| it.contains("OPS-")).collect();
    insta::assert_snapshot!(known.join("\n"), @r#"
    <skipped message="expected fail (OPS-77): Listing workflows was not refused: 200; expected 418"/>
    <failure message="expected warn did not happen (OPS-78): remove it from the file" type="drift"/>
    "#);
    let report: Value = serde_json::from_str(&read("json")).expect("it is JSON");
    assert_eq!(report["counts"]["fail"], 0);
    assert_eq!(report["counts"]["expected"], 1);
    let states: Vec<_> = report["expected"].as_array().into_iter().flatten().collect();
    assert_eq!((&states[0]["state"], &states[1]["state"]), (&"happened".into(), &"stale".into()));
    let schema: Value = serde_json::from_str(moot_harness::report::json::SCHEMA).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    assert!(validator.is_valid(&report));
}

#[test]
fn the_target_file_names_it_and_a_wrong_one_sends_nothing() {
    let mock = Running::start(&["--defect", "webhooks.status-203", "--format", "json"]);
    let base = &mock.base_url();
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), base, "expected: known.yaml\n");
    let known = |text: &str| fs::write(dir.path().join("known.yaml"), text).expect("writable");
    let judge = |dir: &Path| run(&["run", "section:4.12", "--target", "target.yaml"], dir);
    known("[]");
    judge(dir.path()).ended(1);
    known(
        "- { id: list-webhooks.status-200, outcome: fail, reason: OPS-9 }\n\
         - { id: '04_12*#http.declared-status', outcome: fail, reason: OPS-9 }\n",
    );
    judge(dir.path()).ended(0);
    // The port is closed, so a run that sends something would end with 4.
    target(dir.path(), "http://127.0.0.1:1/api", "expected: known.yaml\n");
    known("- { id: nothing/such, outcome: fail, reason: x }\n");
    judge(dir.path()).ended(2);
    known("- { id: list-webhooks.status-200, outcome: fail, reason: x, expires: 2020-01-01 }\n");
    judge(dir.path()).ended(2);
    known("[]");
    judge(dir.path()).ended(4);
}

#[test]
fn an_entry_is_expected_through_its_last_day() {
    let text = "- { id: pagination.per-page, outcome: fail, reason: x, expires: 2026-11-30 }\n";
    let read =
        moot_harness::verdict::expected::from_text(text, Path::new("known.yaml")).expect("sound");
    let refusals = ["2026-11-29", "2026-11-30", "2026-12-01"].map(|today| {
        let error = read.check(Some(&[]), today);
        format!("{today}: {}\n", error.expect_err("there are no scenarios"))
    });
    insta::assert_snapshot!(refusals.concat(), @r"
    2026-11-29: known.yaml:1:9: no check of these scenarios is `pagination.per-page`
    2026-11-30: known.yaml:1:9: no check of these scenarios is `pagination.per-page`
    2026-12-01: known.yaml:1:9: the expected failure `pagination.per-page` expired on 2026-11-30 (x); fix it, or move `expires`
    ");
}
