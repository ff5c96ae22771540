//! `moot selftest`: a suite that finds the defects passes, and one that misses a defect fails.

use std::fs;

use serde_json::Value;

use crate::command_support::{message, run};

/// A defect that the sample suite finds.
const DEFECT: &str = "token.lifetime-3600";

const SUITE: &str = "\
section: \"4.1\"
title: A sample
scenarios:
  - id: data
    title: There is a list of workflows
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect:
          list-workflows.status-200: { status: 200, /pagination: { type: object } }
  - id: requests
    title: There is a list of requests
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect:
          list-legal-requests.status-200: { status: 200, /pagination: { type: object } }
  - id: several-signers
    title: Several of the company sign
    needs: [read, workflow_multiple_signers]
    steps:
      - request: GET /v1/workflows
        token: read
        expect:
          list-workflows.status-200: { status: 200 }
  - id: lifetime
    title: A token lives two hours
    needs: [read]
    steps:
      - request: POST /oauth/token
        token: none
        form:
          grant_type: client_credentials
          client_id: <target.main.client_id>
          client_secret: <target.main.client_secret>
          scope: read
        expect:
";

#[track_caller]
fn check(expectation: &str, code: i32, words: &[&str]) -> (Value, String) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let suite = format!("{SUITE}          {expectation}\n");
    fs::write(dir.path().join("sample.yaml"), suite).expect("writable");
    let line =
        ["selftest", "--scenarios", "sample.yaml", "--seeds", "3", "--report", "json=a.json"];
    let ran =
        run(&[&line[..], &["--report", "html=a.html"], words].concat(), dir.path()).ended(code);
    let text = fs::read_to_string(dir.path().join("a.json")).unwrap_or_default();
    assert_eq!(dir.path().join("a.html").is_file(), code < 2);
    (serde_json::from_str(&text).unwrap_or_default(), ran.stdout)
}

#[test]
fn a_suite_that_notices_the_defect_catches_it() {
    let words = ["--defect", DEFECT];
    let (report, _) = check("token.lifetime-7200: { /expires_in: 7200 }", 0, &words);
    assert_eq!(report["defects"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["defects"][0]["caught_by"][0], "token.lifetime-7200");
    assert_eq!(report["is_whole"], false, "only chosen defects were tried");
    let drawn = report["latitude"].as_array().expect("a list");
    assert_eq!(drawn.len(), 3);
    assert!(drawn.iter().all(|it| it["false_fails"] == serde_json::json!([])), "{drawn:#?}");
    assert_eq!(report["latitude"][2]["answers"], "random:3");
    let alone = report["alone"].as_array().expect("a list");
    let is_one = |it: &Value| it["answers"].as_str().is_some_and(|it| it.starts_with("per_page: "));
    assert_eq!(alone.iter().filter(|it| is_one(it)).count(), 1, "{alone:#?}");
    let degenerate = report["degenerate"].as_array().expect("a list");
    assert_eq!(degenerate.len(), 10);
    assert!(degenerate.iter().all(|it| it["exit_code"] != 0 && it["is_named"] == true));
}

#[test]
fn a_suite_that_looks_away_lets_it_survive() {
    let (report, text) = check("token.success-status: { status: 200 }", 1, &["--defect", DEFECT]);
    assert!(text.contains("survived: token.lifetime-3600"), "{text}");
    assert_eq!(report["defects"][0]["caught_by"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_suite_that_decides_open_questions_has_false_failures() {
    let words = ["--defect", DEFECT];
    let too_strict = "token.lifetime-7200: { /expires_in: 7200, /created_at: 1 }";
    let (report, _) = check(too_strict, 1, &words);
    assert_eq!(report["latitude"][0]["false_fails"][0]["requirement"], "token.lifetime-7200");
}

#[test]
fn an_unknown_defect_is_a_mistake_of_the_line() {
    check("token.success-status: { status: 200 }", 2, &["--defect", "token.lifetime-360"]);
}

#[test]
fn an_unwritable_report_is_refused_before_the_first_trial() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let messages = [
        &["--report", "json=no/such/a.json"][..],
        &["--report", "html=.", "--report", "json=a"],
        &["--report", "json=a", "--report", "html=a"],
        &["--report", "junit=a"],
    ]
    .map(|reports| {
        let ran = run(&[&["selftest"][..], reports].concat(), dir.path()).ended(2);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: there is no folder no/such
    help: create it, so that no/such/a.json can be written
    error: . is a folder, not a file
    error: two reports go to a
    error: invalid value 'junit=a' for '--report <KIND=FILE>': there is no junit report here, only json, html, markdown

    For more information, try '--help'.
    ");
}

#[test]
fn a_page_with_markers_keeps_the_text_around_the_matrix() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let suite = format!("{SUITE}          token.lifetime-7200: {{ /expires_in: 7200 }}\n");
    fs::write(dir.path().join("sample.yaml"), suite).expect("writable");
    let line = ["selftest", "--scenarios", "sample.yaml", "--seeds", "0", "--defect", DEFECT];
    let line = [&line[..], &["--report", "markdown=page.md"]].concat();
    let page = || fs::read_to_string(dir.path().join("page.md")).expect("it is written");
    run(&line, dir.path()).ended(0);
    let alone = page();
    fs::write(dir.path().join("page.md"), format!("# Head\n\n{alone}\nTail\n")).expect("writable");
    run(&line, dir.path()).ended(0);
    assert_eq!(page(), format!("# Head\n\n{alone}\nTail\n"));
    assert!(
        alone.contains("| 2.8 | `token.lifetime-7200` | yes | `token.lifetime-3600` |"),
        "{alone}"
    );
}

/// The JSON report of a self-test with these words, without the ports of wrong targets.
#[track_caller]
fn report(dir: &std::path::Path, code: i32, words: &[&str], file: &str) -> Value {
    let report = format!("json={file}");
    run(&[words, &["--report", &report]].concat(), dir).ended(code);
    let text = fs::read_to_string(dir.join(file)).expect("a report");
    let mut report: Value = serde_json::from_str(&text).expect("JSON");
    for target in report["degenerate"].as_array_mut().expect("a list") {
        target["said"] = Value::Null;
    }
    report
}

#[test]
fn shards_of_a_self_test_join_to_the_report_of_one() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let some = "selftest --seeds 0 --sample 0 --sample-seed 7 --defect token.lifetime-3600 \
                --defect activity.id-number --defect bearer.missing-taken";
    let some: Vec<&str> = some.split_whitespace().collect();
    let whole = report(dir.path(), 0, &some, "whole.json");
    for shard in ["1/2", "2/2"] {
        let folder = format!("part{}", &shard[..1]);
        let own = [&some[..], &["--shard", shard, "--record", &folder]].concat();
        report(dir.path(), 0, &own, &format!("{folder}.json"));
    }
    let joined = report(dir.path(), 0, &["merge", "part2", "part1"], "joined.json");
    assert_eq!(joined, whole);
    let partial = report(dir.path(), 3, &["merge", "part2", "--partial"], "partial.json");
    assert_eq!(partial["defects"].as_array().map(Vec::len), Some(1));
    run(&["merge", "part1", "--format", "json"], dir.path()).ended(2);
}
