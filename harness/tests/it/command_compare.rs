//! `moot compare` on two targets, with the real binary.

use std::fs;
use std::path::Path;

use moot_harness::compare::SCHEMA;
use serde_json::Value;

use crate::command_support::{Ran, Running, message, mock_target, read_json, run};
use crate::deployment;

/// Files with fast scenarios that show many differences.
const SELECTORS: [&str; 7] = [
    "02_resources",
    "02_07_pagination",
    "04_07_get_legal_request",
    "04_11_get_repository_document",
    "04_13_delete_webhook",
    "05_isolation",
    "07_errors",
];

/// Compares with these words, and checks that the JSON report is valid and has the same exit code.
#[track_caller]
fn check(dir: &Path, words: &[&str], code: i32) -> (Ran, Value) {
    let words = [&["compare"], words, &["--report", "json=compare.json"]].concat();
    let ran = run(&words, dir).ended(code);
    let report = read_json(dir.join("compare.json"));
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(report["exit_code"], code);
    let all = report["differences"].as_array().expect("a list").iter();
    for command in all.filter_map(|one| one["curl"].as_str()) {
        assert!(ran.stdout.contains(command), "{command} is not whole in\n{}", ran.stdout);
    }
    (ran, report)
}

fn subjects<'a>(report: &'a Value, class: &str) -> Vec<&'a str> {
    let all = report["differences"].as_array().expect("a list").iter();
    all.filter(|one| one["class"] == class).filter_map(|one| one["subject"].as_str()).collect()
}

/// Starts a mock with these options, and writes the target file with this name.
fn mock(dir: &Path, file: &str, options: &[&str]) -> Running {
    mock_target(&dir.join(file), options, "")
}

#[test]
fn two_mocks_with_other_seeds_and_ports_are_the_same() {
    let dir = tempfile::tempdir().expect("a folder");
    let _a = mock(dir.path(), "a.yaml", &["--seed", "1"]);
    let _b = mock(dir.path(), "b.yaml", &["--seed", "2"]);
    for sides in [["a.yaml", "b.yaml"], ["a.yaml", "mock"]] {
        let (ran, report) = check(dir.path(), &[&sides[..], &SELECTORS[..]].concat(), 0);
        assert_eq!(report["differences"], serde_json::json!([]), "{}", ran.stdout);
        assert!(report["compared"]["checks"].as_u64() > Some(300), "{}", report["compared"]);
    }
}

#[tokio::test]
async fn deployments_may_create_as_many_objects_as_the_plan_needs() {
    let dir = tempfile::tempdir().expect("a folder");
    let servers = [deployment::start_seeded(1).await, deployment::start_seeded(2).await];
    for (server, name) in servers.iter().zip(["a.yaml", "b.yaml"]) {
        let url = deployment::base_url(server);
        deployment::target(dir.path(), &url, deployment::ALL_BUT_LOAD);
        deployment::edit(dir.path(), &[("  created_objects_max: 1000\n", "")]);
        fs::rename(dir.path().join("target.yaml"), dir.path().join(name)).expect("room");
    }
    // They create more than 20 objects, the limit where nothing was planned.
    let selectors = ["04_09_create_repository_document"];
    let (_, report) = check(dir.path(), &[&["a.yaml", "b.yaml"], &selectors[..]].concat(), 0);
    assert_eq!(report["differences"], serde_json::json!([]));
}

#[test]
fn other_answers_are_reported_only_as_answers() {
    let dir = tempfile::tempdir().expect("a folder");
    for (answers, selectors, expected) in [
        ("documented", &["04_14_create_webhook"][..], Some(vec!["webhook_https_only"])),
        ("random:1", &SELECTORS[..], None),
        ("random:24", &["02_07_pagination", "07_hostile_input", "04_14_create_webhook"], None),
    ] {
        let words = [&["mock", "mock", "--answers-b", answers], selectors].concat();
        let (ran, report) = check(dir.path(), &words, 5);
        let allowed = subjects(&report, "both_allowed");
        let all = report["differences"].as_array().expect("a list").len();
        assert_eq!(allowed.len(), all, "{answers}: {}", ran.stdout);
        if let Some(expected) = expected {
            assert_eq!(allowed, expected, "{}", ran.stdout);
        }
    }
}

#[test]
fn a_recording_can_be_a_side_and_violations_name_their_side() {
    let dir = tempfile::tempdir().expect("a folder");
    let selectors = ["04_07_get_legal_request", "07_errors"];
    let recorded =
        run(&[&["run", "--seed", "5", "--record", "kept"], &selectors[..]].concat(), dir.path());
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.stdout, recorded.stderr);
    let (_, same) = check(dir.path(), &["kept", "mock"], 0);
    assert_eq!(same["selectors"], serde_json::json!(selectors), "those it was recorded with");
    assert_eq!(same["seed"], 5);
    let _bad = mock(dir.path(), "bad.yaml", &["--defect", "problem.status-text"]);
    let html = ["--report", "html=compare.html"];
    let (ran, report) = check(dir.path(), &[&["kept", "bad.yaml"][..], &html].concat(), 1);
    let guilty = subjects(&report, "b_violates");
    assert!(guilty.contains(&"errors.member-status"), "{}", ran.stdout);
    assert_eq!(
        report["differences"].as_array().map(Vec::len),
        Some(guilty.len()),
        "{}",
        ran.stdout
    );
    let page = fs::read_to_string(dir.path().join("compare.html")).expect("the page");
    assert!(page.contains("errors.member-status") && !page.contains("<script"), "{page}");
    let (_, swapped) = check(dir.path(), &["bad.yaml", "kept"], 1);
    assert_eq!(subjects(&swapped, "a_violates"), guilty);
    let (_, both) = check(dir.path(), &["bad.yaml", "bad.yaml", "04_07_get_legal_request"], 1);
    assert_eq!(subjects(&both, "both_violate"), ["errors.member-status"]);
    let _lost = mock(dir.path(), "lost.yaml", &["--defect", "upload.message-missing"]);
    let words = ["mock", "lost.yaml", "04_09_create_repository_document/document-uploaded-as-file"];
    let (ran, report) = check(dir.path(), &words, 1);
    let curl = report["differences"][0]["curl"].as_str().expect("a command");
    assert!(curl.len() > 400, "it has the file: {}", ran.stdout);
    let _nameless = mock(dir.path(), "nameless.yaml", &["--defect", "document.name-missing"]);
    let words = ["mock", "nameless.yaml", "04_10_list_repository_documents/documents-listed"];
    let (ran, report) = check(dir.path(), &words, 1);
    assert_eq!(
        subjects(&report, "b_violates"),
        ["list-repository-documents.shape"],
        "{}",
        ran.stdout
    );
    assert_eq!(report["differences"].as_array().map(Vec::len), Some(1), "{}", ran.stdout);
}

#[test]
fn a_side_that_cannot_be_compared_is_refused_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    fs::create_dir(dir.path().join("empty")).expect("a folder");
    fs::write(dir.path().join("gone.yaml"), "base_url: http://127.0.0.1:9\n").expect("writable");
    let messages = [
        (&["mock", "none.yaml"][..], 2),
        (&["empty", "mock"], 2),
        (&["mock", "mock", "no-such-scenario"], 2),
        (&["mock", "mock", "--answers-b", "nonsense"], 2),
        (&["gone.yaml", "mock", "--answers-a", "documented"], 2),
        (&["gone.yaml", "mock", "07_errors"], 4),
    ]
    .map(|(words, code)| {
        let ran = run(&[&["compare"], words].concat(), dir.path()).ended(code);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: B: none.yaml: there is no such file; name a target file, or give a base address like `http://127.0.0.1:PORT`
    help: give a target file, an address, the folder of a recording, or `mock`
    error: A: empty: it is not a recording: it has no `index.json`
    help: `moot run --record DIR` makes a recording
    error: no scenario matches `no-such-scenario`
    help: `moot list` shows all scenarios
    error: unknown answers `nonsense`: there are `default`, `documented`, `random:SEED` (the path of a file is accepted too, but `nonsense` does not exist)
    error: A is `gone.yaml`, not the mock in this process
    help: --answers-a and --world-a are for `mock`
    error: A: 127.0.0.1:PORT cannot be reached: Connection refused (os error N); is it running? Compare the port of `base_url`
    ");
}

#[test]
fn known_failures_of_a_target_are_reported_and_do_not_count() {
    let dir = tempfile::tempdir().expect("a folder");
    let _bad = mock(dir.path(), "bad.yaml", &["--defect", "problem.status-text"]);
    let text = fs::read_to_string(dir.path().join("bad.yaml")).expect("it was written");
    fs::write(dir.path().join("bad.yaml"), format!("{text}expected: known.yaml\n"))
        .expect("writable");
    let known = |rows: &str| {
        fs::write(dir.path().join("known.yaml"), rows).expect("writable");
    };
    let words = ["mock", "bad.yaml", "04_07_get_legal_request"];
    known("- { id: errors.member-status, outcome: fail, reason: a text so far }\n");
    let (ran, report) = check(dir.path(), &words, 0);
    assert_eq!(subjects(&report, "b_violates"), ["errors.member-status"], "{}", ran.stdout);
    let differences = report["differences"].as_array().expect("a list");
    let is_known = |it: &Value| it["known"] == "errors.member-status: a text so far";
    assert!(!differences.is_empty() && differences.iter().all(is_known), "{differences:#?}");
    let (_, report) = check(dir.path(), &["bad.yaml", "bad.yaml", words[2]], 0);
    assert_eq!(subjects(&report, "both_violate"), ["errors.member-status"]);
    known("- { id: get-legal-request.status-200, outcome: fail, reason: gone }\n");
    let (ran, report) = check(dir.path(), &words, 1);
    let stale = report["b"]["stale"].as_array().map(Vec::len);
    assert_eq!(stale, Some(1), "{}", ran.stdout);
    known("- { id: no-such.requirement, outcome: fail, reason: gone }\n");
    let ran = run(&[&["compare"], &words[..]].concat(), dir.path()).ended(2);
    insta::assert_snapshot!(message(&ran.stderr), @"error: B: known.yaml:1:9: there is no requirement `no-such.requirement` (a scenario is named `FILE/ID`)");
}
