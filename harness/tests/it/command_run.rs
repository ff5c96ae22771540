//! `moot run` on the mock in its own process writes every report, and returns the exit code of the run.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{LIST_SCENARIO, Ran, folder_of, message, read_json, run};

fn scenario() -> String {
    LIST_SCENARIO.replace("token: read", "token: read\n        snapshot: true")
}

fn folder(scenario: &str) -> tempfile::TempDir {
    folder_of(&[("sample.yaml", scenario)])
}

#[track_caller]
fn check(dir: &Path, words: &[&str], code: i32) -> Ran {
    run(&[&["run", "--scenarios", "sample.yaml", "--seed", "42"], words].concat(), dir).ended(code)
}

#[test]
fn every_report_is_written_and_the_text_stands_on_stdout() {
    let dir = folder(&scenario());
    let kinds = ["text", "json", "junit", "html", "markdown", "ndjson"];
    let reports: Vec<String> = kinds.iter().map(|kind| format!("{kind}=report.{kind}")).collect();
    let words: Vec<&str> = reports.iter().flat_map(|report| ["--report", report]).collect();
    let ran = check(dir.path(), &words, 0);
    let report = read_json(dir.path().join("report.json"));
    assert_eq!(report["outcome"], "conformant");
    let line = report["reproduce"].as_str().expect("a text");
    assert_eq!(line, "moot run --scenarios sample.yaml --seed 42");
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let head: Vec<&str> = ran.stderr.lines().collect();
    assert!(head.len() == 1 && head[0].ends_with("in this process, seed 42"), "{head:?}");
    for kind in kinds {
        let text = fs::read_to_string(dir.path().join(format!("report.{kind}")));
        assert!(text.is_ok_and(|text| text.contains("sample")), "{kind}");
    }
}

#[test]
fn a_report_on_stdout_moves_the_text_to_stderr() {
    let dir = folder(&scenario());
    for words in [&["--report", "json=-"][..], &["--format", "json"]] {
        let ran = check(dir.path(), words, 0);
        let report = ran.json();
        assert_eq!(report["outcome"], "conformant");
        let is_told = ran.stderr.lines().any(|line| line.starts_with("conformant: "));
        assert_eq!(is_told, words[0] == "--report", "{}", ran.stderr);
    }
}

#[test]
fn a_violation_ends_with_1_and_names_its_place() {
    let dir = folder(&scenario().replace("{ status: 200 }", "{ status: 204 }"));
    let report = check(dir.path(), &["--format", "json"], 1).json();
    let failed: Vec<&Value> = report["checks"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|check| check["verdict"] == "fail")
        .collect();
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(failed[0]["scenario"], "sample/lists");
    let place = &failed[0]["place"];
    assert_eq!((&place["file"], &place["line"]), (&"sample.yaml".into(), &12.into()));
}

#[test]
fn a_run_without_a_runnable_scenario_ends_with_3() {
    let steps = "GET /v1/requests/none\n        require: { status: 200 }\n";
    let dir = folder(&scenario().replace("GET /v1/requests\n", steps));
    let report = check(dir.path(), &["--format", "json"], 3).json();
    assert_eq!(report["not_run"].as_array().map(Vec::len), Some(1), "{}", report["not_run"]);
}

#[test]
fn a_mistake_in_a_scenario_is_located() {
    let dir = folder(&scenario().replace("title: The list", "titel: The list"));
    let said = check(dir.path(), &[], 2).stderr;
    insta::assert_snapshot!(message(&said), @r"
    error: 2 mistakes in scenario files

    error: a scenario needs the key `title`
     --> sample.yaml:4:5
      |
    4 |   - id: lists
      |     ^^

    error: unknown key `titel` in a scenario
     --> sample.yaml:5:5
      |
    5 |     titel: The list is there
      |     ^^^^^
      |
      = help: did you mean `title`?
    ");
    run(&["check", "sample.yaml"], dir.path()).ended(2);
    run(&["check", "."], folder(&scenario()).path()).ended(0);
}

#[test]
fn a_capture_that_found_nothing_is_named_with_the_step_that_needs_it() {
    let text = r#"section: "4.3"
title: A capture without a value
scenarios:
  - id: not-found
    title: The member does not exist
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        capture: { id: /data/0/nothing }
      - request: GET /v1/workflows/<id>
        token: read
        expect: { get-workflow.status-200: { status: 200 } }
"#;
    let dir = folder_of(&[("own.yaml", text)]);
    let ran = run(&["run", "--scenarios", "own.yaml", "--format", "json"], dir.path()).ended(3);
    let reason = "`<id>` has no value in the step at line 11: no earlier step found it";
    assert_eq!(ran.json()["not_run"][0]["reason"], reason);
}

#[test]
fn selected_scenarios_are_listed_and_planned() {
    let dir = folder(&scenario());
    let words = ["--scenarios", "sample.yaml", "--format", "json"];
    for command in ["list", "plan"] {
        let shown = run(&[&[command], &words[..]].concat(), dir.path()).ended(0).json();
        assert_eq!(shown["scenarios"][0]["name"], "sample/lists");
    }
    let ran = run(&["list", "--scenarios", "sample.yaml", "lisst"], dir.path()).ended(2);
    insta::assert_snapshot!(message(&ran.stderr), @r"
    error: no scenario matches `lisst`; did you mean `lists`?
    help: `moot list` shows all scenarios
    ");
}
