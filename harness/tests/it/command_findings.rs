//! The findings of a run on a deployment: root cause, earlier requests, and commands that repeat them with their
//! tokens.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command_support::{Ran, Running, call, run};
use crate::deployment::{ALL_BUT_LOAD, edit, target};

/// Starts a mock with this defect as a deployment, and writes `target.yaml`.
fn deployed(dir: &Path, defect: &str) -> Running {
    let mock = Running::start(&["--format", "json", "--rate-limit", "off", "--defect", defect]);
    let ready = mock.ready();
    target(dir, ready["base_url"].as_str().expect("it says where"), ALL_BUT_LOAD);
    mock
}

/// The report of a run with this selector.
#[track_caller]
fn report(dir: &Path, words: &[&str]) -> Value {
    let own = ["run", "--target", "target.yaml", "--format", "json"];
    let ran = run(&[&own[..], words].concat(), dir);
    ran.json()
}

fn findings(report: &Value) -> Vec<Value> {
    let all = report["findings"].as_array().expect("a list");
    all.iter().filter(|finding| finding["verdict"] == "fail").cloned().collect()
}

#[test]
fn a_body_that_is_no_json_is_the_only_finding_about_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let _mock = deployed(dir.path(), "json.cut-off");
    let report = report(dir.path(), &["04_08_get_legal_request_activity"]);
    let findings = findings(&report);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    let message = findings[0]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("The body ends inside its JSON, after "), "{message}");
}

#[test]
fn errors_that_are_sent_as_text_are_one_finding() {
    let dir = tempfile::tempdir().expect("a folder");
    let _mock = deployed(dir.path(), "problem.plain-json");
    let report = report(dir.path(), &["04_07_get_legal_request", "05_authentication"]);
    let findings = findings(&report);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["requirement"], "errors.media-type");
}

#[test]
fn a_missing_member_of_a_body_is_one_finding() {
    let dir = tempfile::tempdir().expect("a folder");
    let _mock = deployed(dir.path(), "webhooks.list-bare");
    let report = report(dir.path(), &["01_service", "02_07_pagination", "04_12_list_webhooks"]);
    let findings = findings(&report);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(
        findings[0]["message"],
        "In the response to listing webhooks, the body has no `data`"
    );
}

#[test]
fn a_finding_shows_earlier_requests_and_commands_that_repeat_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let _mock = deployed(dir.path(), "create.late-check");
    let report = report(dir.path(), &["section:4.5"]);
    let findings = findings(&report);
    let long = findings.iter().find(|finding| {
        finding["exchanges"].as_array().is_some_and(|exchanges| exchanges.len() > 1)
    });
    let finding = long.unwrap_or_else(|| panic!("{findings:#?}"));
    let shown: Vec<&Value> = report["exchanges"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|exchange| &exchange["number"])
        .collect();
    for number in finding["exchanges"].as_array().expect("a list") {
        assert!(shown.contains(&number), "{number}");
    }
    let repeat = finding["repeat"].as_str().expect("there is a command");
    let words: Vec<&str> = repeat.split(' ').skip(1).collect();
    run(&words, dir.path()).ended(1);
    let script = finding["script"].as_str().expect("there is a script");
    assert!(script.contains("=$(moot token --target \"$TARGET\" --as main"), "{script}");
    let read = Command::new("sh").args(["-n", "-c", script]).output().expect("there is a shell");
    assert!(read.status.success(), "{script}\n{}", String::from_utf8_lossy(&read.stderr));
}

#[test]
fn a_token_is_printed_alone_and_good() {
    let dir = tempfile::tempdir().expect("a folder");
    let mock = Running::start(&["--format", "json"]);
    let base = &mock.base_url();
    target(dir.path(), base, "");
    let token = |words: &[&str]| -> Ran {
        run(&[&["token", "--target", "target.yaml"], words].concat(), dir.path())
    };
    let printed = token(&["--as", "reader"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    let reader = printed.stdout.strip_suffix('\n').expect("a line");
    let host = base.strip_prefix("http://").expect("it is HTTP");
    let status = |token: &str, line: &str| call(host, line, token, ("text/plain", b"")).0;
    assert_eq!(status(reader, "GET /v1/workflows"), 200);
    let narrow = token(&["--scope", "read", "--format", "json"]).json();
    assert_eq!((&narrow["application"], &narrow["scope"]), (&"main".into(), &"read".into()));
    let narrow = narrow["access_token"].as_str().expect("a token");
    assert_eq!(status(narrow, "POST /v1/webhooks"), 403);
    let unknown = token(&["--as", "nobody"]);
    let without_applications = run(&["token", "--target", base], dir.path());
    assert_eq!((unknown.code, without_applications.code), (Some(2), Some(2)));
    insta::assert_snapshot!(unknown.stderr + &without_applications.stderr, @r"
    error: the target has no application `nobody`; it has `main`, `other_company`, `reader`, `writer`
    error: the target has no applications, so there are no credentials to request a token with
    help: add `applications` to the target file; for a base address, set MOOT_CLIENT_ID and MOOT_CLIENT_SECRET. `moot mock` prints the client ids and secrets of its world
    ");
    edit(dir.path(), &[("demo-reader-secret", "another-secret")]);
    let refused = token(&["--as", "reader"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(4), ""), "{}", refused.stderr);
}

#[test]
fn skipped_scenarios_are_not_run_and_can_be_tolerated_by_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let mock = Running::start(&["--format", "json"]);
    let base = &mock.base_url();
    let words = ["09_versioning", "--exclude", "version-in-the-path"];
    for (more, code) in [("", 3), ("tolerate: [09_versioning/version-in-the-path]\n", 0)] {
        target(dir.path(), base, more);
        let report = report(dir.path(), &words);
        assert_eq!(report["exit_code"], code, "{more}: {:#}", report["not_run"]);
        let row = &report["not_run"][0];
        assert_eq!(row["names"], serde_json::json!(["09_versioning/version-in-the-path"]));
        assert_eq!(row["tolerate_as"], "09_versioning/version-in-the-path");
        assert_eq!(row["is_tolerated"], code == 0);
        let line = report["reproduce"].as_str().expect("a line");
        assert!(line.contains(" --exclude version-in-the-path"), "{line}");
    }
    run(&["run", "--exclude", "no-such-scenario"], dir.path()).ended(2);
}
