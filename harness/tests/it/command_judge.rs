//! `moot run --record` and `moot judge`: a recording is judged again without a network.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Ran, Running, folder_of, message, mock_target, read_json, run};
use crate::deployment::{self, ALL_BUT_LOAD};

fn read(report: &Path) -> Value {
    let text = fs::read_to_string(report).expect("the report");
    serde_json::from_str(&text).expect("JSON")
}

/// The findings without the commands that repeat them. A recording has another command.
fn findings(report: &Value) -> Value {
    let mut findings = report["findings"].clone();
    for finding in findings.as_array_mut().expect("a list") {
        let members = finding.as_object_mut().expect("an object");
        for name in ["repeat", "script"] {
            members.remove(name);
        }
    }
    findings
}

/// The scenario, step, verdict and message of each check.
fn verdicts(report: &Value) -> BTreeMap<String, String> {
    let checks = report["checks"].as_array().expect("checks").iter();
    checks
        .enumerate()
        .map(|(at, check)| {
            let row = (&check["id"], &check["verdict"], &check["message"]);
            (format!("{at:05}"), format!("{} {} {}", row.0, row.1, row.2))
        })
        .collect()
}

#[track_caller]
fn check(dir: &Path, run_words: &[&str], selectors: &[&str]) -> Ran {
    let words = [
        &["run", "--snapshots", "off", "--record", "kept", "--report", "json=run.json"][..],
        run_words,
        selectors,
    ];
    let ran = run(&words.concat(), dir);
    assert!(ran.code != Some(70) && ran.code != Some(2), "{}{}", ran.stdout, ran.stderr);
    let judged = run(&["judge", "kept", "--report", "json=judge.json"], dir);
    let (before, after) = (read(&dir.join("run.json")), read(&dir.join("judge.json")));
    assert_eq!(findings(&before), findings(&after));
    let (before, after) = (verdicts(&before), verdicts(&after));
    assert!(!before.is_empty());
    for (at, row) in &before {
        assert_eq!(Some(row), after.get(at), "{}{}", judged.stdout, judged.stderr);
    }
    assert_eq!(before.len(), after.len());
    assert_eq!(judged.code, ran.code, "{}{}", judged.stdout, judged.stderr);
    judged
}

#[test]
fn a_recording_is_judged_as_the_run_was() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    check(dir.path(), &["--seed", "5"], &[]);
    let index = read_json(dir.path().join("kept/index.json"));
    assert_eq!(index["seed"], 5);
    assert_eq!(index["target"]["class"], "mock in process");
    let first = index["tapes"][0]["file"].as_str().expect("a tape");
    let har = fs::read_to_string(dir.path().join("kept").join(first)).expect("a HAR file");
    assert_eq!(serde_json::from_str::<Value>(&har).expect("JSON")["log"]["version"], "1.2");
}

#[test]
fn a_recording_of_other_scenario_files_is_not_judged() {
    let dir = folder_of(&[("sample.yaml", crate::command_support::LIST_SCENARIO)]);
    let scenarios = ["--scenarios", "sample.yaml"];
    run(&[&["run", "--record", "kept"], &scenarios[..]].concat(), dir.path()).ended(0);
    let ran = run(&["judge", "kept"], dir.path()).ended(2);
    assert!(ran.stderr.contains("--scenarios"), "{}", ran.stderr);
    run(&[&["judge", "kept"], &scenarios[..]].concat(), dir.path()).ended(0);
}

/// Starts a mock with these options, and writes `target.yaml` with `more`.
fn mock(dir: &Path, options: &[&str], more: &str) -> Running {
    mock_target(&dir.join("target.yaml"), options, more)
}

#[test]
fn failures_over_http_are_found_again_in_the_recording() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let _mock = mock(dir.path(), &["--defect", "problem.status-text"], "");
    let words = ["--target", "target.yaml"];
    check(dir.path(), &words, &["07_errors", "04_13_delete_webhook"]).ended(1);
}

#[test]
fn what_a_run_left_out_stays_left_out() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let left_out = "07_errors/problem-members";
    check(dir.path(), &["--exclude", left_out], &["07_errors"]).ended(3);
    let words = ["compare", "kept", "mock", "--report", "json=compare.json"];
    run(&words, dir.path()).ended(3);
    let report = read(&dir.path().join("compare.json"));
    assert_eq!(report["differences"], serde_json::json!([]));
    assert!(report["not_compared"].to_string().contains(left_out), "{}", report["not_compared"]);
}

#[test]
fn pinned_answers_are_judged_from_a_recording_too() {
    let dir = folder_of(&[("pinned.yaml", "other_company: 403\n")]);
    let _mock = mock(dir.path(), &[], "answers: pinned.yaml\n");
    check(dir.path(), &["--target", "target.yaml"], &["05_isolation"]).ended(5);
}

#[tokio::test]
async fn a_deployment_is_recorded_without_its_secrets() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = deployment::start("default").await;
    deployment::target(dir.path(), &deployment::base_url(&server), ALL_BUT_LOAD);
    // These scenarios send the secrets of every application, tokens of every scope, and secrets of webhooks.
    let selectors = ["04_01*", "04_1*", "05_*", "07_errors", "10_standards"];
    check(dir.path(), &["--target", "target.yaml"], &selectors).ended(0);
    drop(server);
    let mut files = vec![dir.path().join("kept/index.json")];
    let tapes = fs::read_dir(dir.path().join("kept/exchanges")).expect("tapes");
    files.extend(tapes.map(|tape| tape.expect("a file").path()));
    let mut placeholders = std::collections::BTreeSet::new();
    let mut tokens = 0;
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        for secret in
            ["Vr8Kq3Zt6Wm1Xc5B", "Hp2Ln9Yd4Fs7Gj0T", "Cb6Rx1Qe8Ma3Vk5N", "Ws4Jn7Ub2Ty9Ep6D"]
        {
            assert!(!text.contains(secret), "{}", file.display());
        }
        // A token that was issued during the run is also a secret.
        let issued = r#"access_token\":\""#;
        for (at, _) in text.match_indices(issued) {
            assert!(text[at + issued.len()..].starts_with("redacted-"), "{}", file.display());
            tokens += 1;
        }
        placeholders
            .extend(text.match_indices("redacted-").map(|(at, _)| text[at..at + 14].to_owned()));
    }
    assert!(tokens > 10, "{tokens}");
    assert!(placeholders.len() > 3, "a secret is one placeholder, another is another");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_is_judged_as_the_run_was_even_if_its_order_was_another() {
    let server = deployment::start("default").await;
    let dir = deployment::deployed(&server, "");
    let selectors = [
        "04_01_create_access_token/client-id-near-miss",
        "04_01_create_access_token/secret-of-another",
        "04_01_create_access_token/client-secret-missing",
    ];
    for seed in ["1", "2", "3", "4"] {
        let words = ["--target", "target.yaml", "--shuffle", "--seed", seed];
        check(dir.path(), &words, &selectors);
        fs::remove_dir_all(dir.path().join("kept")).expect("the recording");
    }
}

#[test]
fn wrong_folders_for_a_recording_are_refused_before_a_request_is_sent() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(dir.path().join("full")).expect("a folder");
    fs::write(dir.path().join("full/index.json"), r#"{"format_version": 1}"#).expect("a file");
    let words = [&["run", "--record", "full"][..], &["judge", "full"], &["judge", "nothing"]];
    let messages = words.map(|words| {
        let ran = run(words, dir.path()).ended(2);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: full: the folder is not empty; name a new folder for the recording, or empty this one
    error: full/index.json: it is not part of a recording: missing field `moot_version` at line 1 column 21
    help: `moot run --record DIR` makes a recording
    error: nothing: there is no such folder
    help: `moot run --record DIR` makes a recording
    ");
}

#[test]
fn a_run_that_cannot_use_its_target_leaves_the_folder_empty() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let target = "base_url: http://127.0.0.1:1\ntolerate: [nothing-of-this-name]\n";
    fs::write(dir.path().join("target.yaml"), target).expect("a file");
    for _ in 0..2 {
        let ran = run(&["run", "--target", "target.yaml", "--record", "kept"], dir.path()).ended(2);
        assert!(ran.stderr.contains("nothing-of-this-name"), "{}", ran.stderr);
        assert_eq!(fs::read_dir(dir.path().join("kept")).expect("the folder").count(), 0);
    }
}

#[test]
fn a_damaged_recording_is_refused_and_not_changed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    run(&["run", "07_errors/problem-members", "--record", "kept"], dir.path()).ended(0);
    let tape = fs::read_dir(dir.path().join("kept/exchanges")).expect("tapes").next();
    let tape = tape.expect("there is one").expect("a file").path();
    let whole = fs::read_to_string(&tape).expect("a text");
    let half = &whole[..whole.find("\"entries\"").expect("a HAR file has entries")];
    let messages = [half, "{}"].map(|text| {
        fs::write(&tape, text).expect("writable");
        let ran = run(&["judge", "kept"], dir.path()).ended(2);
        assert_eq!(fs::read_to_string(&tape).expect("a text"), text, "it is only read");
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: kept/exchanges/0001_07_errors_problem-members.har: it is not part of a recording: EOF while parsing a value at line 8 column 4
    error: kept/exchanges/0001_07_errors_problem-members.har: it is not part of a recording: missing field `log` at line 1 column 2
    ");
    fs::remove_file(&tape).expect("it is there");
    run(&["judge", "kept"], dir.path()).ended(2);
    fs::write(&tape, whole).expect("writable");
    run(&["judge", "kept"], dir.path()).ended(0);
}

/// Required members of an entry of HAR 1.2, as JSON pointers.
const HAR_MEMBERS: [&str; 24] = [
    "/startedDateTime",
    "/time",
    "/request/method",
    "/request/url",
    "/request/httpVersion",
    "/request/cookies",
    "/request/headers",
    "/request/queryString",
    "/request/headersSize",
    "/request/bodySize",
    "/response/status",
    "/response/statusText",
    "/response/httpVersion",
    "/response/cookies",
    "/response/headers",
    "/response/content/size",
    "/response/content/mimeType",
    "/response/redirectURL",
    "/response/headersSize",
    "/response/bodySize",
    "/cache",
    "/timings/send",
    "/timings/wait",
    "/timings/receive",
];

#[test]
fn every_session_file_has_the_required_members_of_har() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    run(&["run", "07_errors", "04_09_*", "--record", "kept"], dir.path()).ended(0);
    for tape in fs::read_dir(dir.path().join("kept/exchanges")).expect("tapes") {
        let path = tape.expect("a file").path();
        let har = read_json(&path);
        for pointer in ["/log/version", "/log/creator/name", "/log/creator/version"] {
            assert!(har.pointer(pointer).is_some_and(Value::is_string), "{pointer}");
        }
        let entries = har["log"]["entries"].as_array().expect("a list");
        for (entry, pointer) in entries.iter().flat_map(|it| HAR_MEMBERS.map(|p| (it, p))) {
            assert!(entry.pointer(pointer).is_some(), "{}: {pointer} of {entry}", path.display());
        }
    }
}

#[test]
fn a_folder_that_is_missing_is_not_called_a_recording_without_an_index() {
    let dir = folder_of(&[("file", "")]);
    fs::create_dir(dir.path().join("empty")).expect("writable");
    let errors = ["none", "file", "empty"].map(|name| {
        let ran = run(&["judge", name], dir.path()).ended(2);
        ran.stderr.lines().next().unwrap_or_default().to_owned()
    });
    insta::assert_snapshot!(errors.join("\n"), @r"
    error: none: there is no such folder
    error: file: it is a file, and a recording is a folder
    error: empty: it is not a recording: it has no `index.json`
    ");
}
