//! Recorded responses in a run: drift, unused snapshots, bundles for CI, and the bundled snapshots.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command_support::{Ran, folder_of, moot, read_json, run};

const SCENARIOS: &str = "\
section: \"4.6\"
title: A sample
scenarios:
  - id: lists
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        snapshot: true
        capture: { some: \"$.data[:2].id\" }
        expect:
          list-legal-requests.status-200: { status: 200 }
      - for_each: { legal_request: <some> }
        steps:
          - request: GET /v1/requests/<legal_request>
            token: read
            snapshot: { redact: [/data/attributes/status] }
            expect:
              get-legal-request.status-200: { status: 200 }
      - request: GET /v1/webhooks
        token: read
        snapshot: false
        expect:
          list-webhooks.status-200: { status: 200 }
";

fn folder() -> tempfile::TempDir {
    folder_of(&[("sample.yaml", SCENARIOS)])
}

#[track_caller]
fn check(dir: &Path, words: &[&str], code: i32) -> Ran {
    run(&[&["run", "--scenarios", "sample.yaml"], words].concat(), dir).ended(code)
}

/// The snapshot of the first step.
fn snapshot(dir: &Path) -> PathBuf {
    dir.join("snapshots/mock/sample/lists__GET_v1_requests.snap")
}

#[test]
fn a_step_without_its_snapshot_and_a_difference_are_drift() {
    let dir = folder();
    check(dir.path(), &["--snapshots", "check"], 5);
    check(dir.path(), &["--snapshots", "record", "--seed", "42"], 0);
    // Another seed gives other ids, tokens and times. Snapshots are checked without an option.
    check(dir.path(), &["--seed", "43"], 0);
    let file = snapshot(dir.path());
    let text = fs::read_to_string(&file).expect("recorded");
    assert!(text.contains("\"[count]\""), "{text}");
    fs::write(&file, text.replace("HTTP 200", "HTTP 201")).expect("writable");
    let ran = check(dir.path(), &[], 5);
    assert!(ran.stdout.contains("-HTTP 201") && ran.stdout.contains("+HTTP 200"), "{}", ran.stdout);
    check(dir.path(), &["--snapshots", "off"], 0);
    check(dir.path(), &["--snapshots", "record"], 0);
    assert!(file.with_extension("snap.new").is_file(), "it waits for a decision");
    run(&["snapshot", "accept", "--all"], dir.path()).ended(0);
    check(dir.path(), &[], 0);
}

#[test]
fn rows_share_a_snapshot_and_a_step_may_be_left_out_or_redacted() {
    let dir = folder();
    check(dir.path(), &["--snapshots", "record"], 0);
    let list = run(&["snapshot", "list", "--format", "json"], dir.path()).stdout;
    let list: Value = serde_json::from_str(&list).expect("it is JSON");
    let names: Vec<_> = list["snapshots"].as_array().into_iter().flatten().collect();
    let names: Vec<_> = names.iter().map(|row| row["name"].as_str().unwrap_or_default()).collect();
    let by_id = "mock/sample/lists__GET_v1_requests_legal_request";
    assert_eq!(names, ["mock/sample/lists__GET_v1_requests", by_id]);
    let file = format!("snapshots/{by_id}.snap");
    let text = fs::read_to_string(dir.path().join(file)).expect("recorded");
    for part in [r#""status": "[redacted]""#, r#""name": "[text:1]""#, r#""id": "[request:1]""#] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn only_a_whole_run_reports_unused_snapshots() {
    let dir = folder();
    check(dir.path(), &["--snapshots", "record"], 0);
    let gone = snapshot(dir.path()).with_file_name("gone__get.snap");
    fs::copy(snapshot(dir.path()), &gone).expect("writable");
    let unused = |words: &[&str], code: i32| {
        let report = check(dir.path(), &[words, &["--format", "json"]].concat(), code).json();
        report["unused_snapshots"].clone()
    };
    let none = serde_json::json!([]);
    assert_eq!(unused(&[], 0), serde_json::json!(["sample/gone__get"]));
    assert_eq!(unused(&["lists"], 0), none, "a filtered run");
    assert_eq!(unused(&["--snapshots", "off"], 0), none, "a run without snapshots");
    fs::remove_file(snapshot(dir.path())).expect("it is there");
    assert_eq!(unused(&[], 5), none, "a run that drifted");
}

#[test]
fn in_ci_only_the_bundle_is_written() {
    let dir = folder();
    let in_ci = |words: &[&str], ci: &str| {
        let words = [&["run", "--scenarios", "sample.yaml"], words].concat();
        let output = moot(&words, dir.path()).env("CI", ci).output().expect("the binary runs");
        output.status.code()
    };
    assert_eq!(in_ci(&["--snapshots", "record"], "true"), Some(2));
    let bundled = ["--snapshots", "record", "--snapshot-bundle", "new.json"];
    assert_eq!(in_ci(&bundled, "true"), Some(0));
    assert!(!dir.path().join("snapshots").exists());
    let applied = run(&["snapshot", "apply", "new.json", "--format", "json"], dir.path()).json();
    assert_eq!(applied["recorded"].as_array().map(Vec::len), Some(2), "{applied}");
    assert_eq!(applied["pending"], serde_json::json!([]));
    assert!(dir.path().join("snapshots/mock").is_dir());
    check(dir.path(), &[], 0);
    assert_eq!(in_ci(&["--snapshots", "record"], "false"), Some(0), "`false` is not set");
    // The bundle has the response of a check that drifts.
    let file = snapshot(dir.path());
    let text = fs::read_to_string(&file).expect("recorded");
    fs::write(&file, text.replace("HTTP 200", "HTTP 201")).expect("writable");
    assert_eq!(in_ci(&["--snapshot-bundle", "new.json"], "1"), Some(5));
    let applied = run(&["snapshot", "apply", "new.json", "--format", "json"], dir.path()).stdout;
    let applied: Value = serde_json::from_str(&applied).expect("it is JSON");
    assert_eq!(applied["pending"][0], "sample/lists__GET_v1_requests");
    assert_eq!(in_ci(&["--snapshots", "off", "--snapshot-bundle", "new.json"], "1"), Some(2));
    fs::write(dir.path().join("new.json"), "{}").expect("writable");
    run(&["snapshot", "apply", "new.json"], dir.path()).ended(2);
}

#[test]
fn the_bundled_snapshots_hold_with_any_seed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/mock");
    // Only a whole run reports unused snapshots. The other runs have a selector.
    for (seed, selectors) in [("1", &[][..]), ("2", &["02_resources", "04_*", "07_errors"])] {
        let words = [
            "run",
            "-q",
            "--snapshots",
            "check",
            "--snapshot-dir",
            bundled,
            "--seed",
            seed,
            "--report",
            "json=report.json",
        ];
        run(&[&words[..], selectors].concat(), dir.path()).ended(0);
        let report = read_json(dir.path().join("report.json"));
        assert_eq!(report["unused_snapshots"].as_array().map(Vec::len), Some(0), "{report}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_noticed_before_the_run() {
    let dir = folder();
    for words in [
        &["--snapshots", "record", "--snapshot-dir", "sample.yaml/kept"][..],
        &["--snapshots", "check", "--snapshot-bundle", "sample.yaml/bundle.json"],
    ] {
        let ran = check(dir.path(), words, 2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("sample.yaml"), "{}", ran.stderr);
    }
}
