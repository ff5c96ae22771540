//! `moot explore` saves a failing case as a scenario that fails again. It respects the limits of a deployment.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Running, message, mock_target, run};
use crate::deployment;

/// The JSON that this command prints.
#[track_caller]
fn explored(words: &[&str], dir: &Path, code: i32) -> Value {
    run(&[words, &["--format", "json"]].concat(), dir).ended(code).json()
}

/// The outcome, and the numbers of cases that were drawn and that were walked to their end.
fn outcome(explored: &Value) -> (&str, u64, u64) {
    let number = |name: &str| explored[name].as_u64().expect("a number");
    let word = explored["outcome"].as_str().expect("a word");
    (word, number("cases"), number("walked"))
}

/// Starts a mock with these options, and writes `target.yaml` below `dir`.
fn mock(dir: &Path, options: &[&str]) -> Running {
    mock_target(&dir.join("target.yaml"), options, "")
}

#[test]
fn a_failing_case_is_saved_and_fails_again_only_on_that_target() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let broken = mock(dir.path(), &["--defect", "activity.description-missing"]);
    let explore_line = "moot explore --target target.yaml --cases 30 --seed 7";
    let explore: Vec<&str> = explore_line.split(' ').skip(1).collect();
    let said = explored(&explore, dir.path(), 1);
    let first = &said["violations"][0];
    assert_eq!(first["requirement"], "get-legal-request-activity.shape");
    let lines: Vec<&str> =
        first["curl"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_usable = |it: &&str| it.starts_with("curl -sS -i ") && it.contains("\"$MOOT_");
    assert!(!lines.is_empty() && lines.iter().all(is_usable), "{first}");
    assert_eq!(said["saved"], "explored-7.yaml");
    assert_eq!(said["reproduce"], explore_line);
    let said = run(&explore, dir.path()).ended(1).stdout;
    for part in
        ["get-legal-request-activity.shape", "moot run --scenarios explored-7.yaml", explore_line]
    {
        assert!(said.contains(part), "{part}\n{said}");
    }
    run(&["check", "explored-7.yaml"], dir.path()).ended(0);
    let again = ["run", "--scenarios", "explored-7.yaml", "--target", "target.yaml", "--seed", "7"];
    let report = explored(&again, dir.path(), 1);
    let found = report["findings"].as_array().expect("a list").iter();
    let ids: Vec<&Value> = found.map(|finding| &finding["requirement"]).collect();
    assert!(ids.contains(&&"get-legal-request-activity.shape".into()), "{ids:?}");
    broken.stop("-TERM");
    let sound = mock(dir.path(), &[]);
    run(&again, dir.path()).ended(0);
    let said = explored(&[&explore[..], &["--save", "none.yaml"]].concat(), dir.path(), 0);
    assert_eq!(outcome(&said), ("nothing found", 30, 30), "{said}");
    assert!(!dir.path().join("none.yaml").exists(), "there was nothing to save");
    sound.stop("-TERM");
}

#[test]
fn a_violation_is_printed_even_if_its_case_cannot_be_saved() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mock = mock(dir.path(), &["--defect", "workflow.name-null"]);
    fs::write(dir.path().join("file"), "").expect("writable");
    let words = ["explore", "--target", "target.yaml", "--cases", "20", "--seed", "1"];
    let ran = run(&[&words[..], &["--save", "file/cases.yaml"]].concat(), dir.path()).ended(70);
    assert!(ran.stdout.contains("list-workflows.shape"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("saved"), "{}", ran.stdout);
    assert!(ran.stderr.contains("`file/cases.yaml` cannot be written"), "{}", ran.stderr);
    mock.stop("-TERM");
}

#[test]
fn a_report_that_cannot_be_written_does_not_stop_the_others() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let words = ["explore", "--cases", "3", "--seed", "1"];
    let reports = ["--report", "junit=/dev/full", "--report", "json=explored.json"];
    let ran = run(&[&words[..], &reports].concat(), dir.path()).ended(70);
    assert!(ran.stdout.contains("nothing found"), "{}", ran.stdout);
    assert!(ran.stderr.contains("`/dev/full` cannot be written"), "{}", ran.stderr);
    assert!(dir.path().join("explored.json").exists());
}

#[test]
fn a_sound_mock_over_http_is_like_the_one_beside_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mock = mock(dir.path(), &[]);
    let words = ["explore", "--target", "target.yaml", "--cases", "20", "--seed", "1"];
    let said = explored(&words, dir.path(), 0);
    assert_eq!(outcome(&said), ("nothing found", 20, 20), "{said}");
    assert_eq!(said["differences"], serde_json::json!([]));
    mock.stop("-TERM");
}

#[test]
fn json_and_reports_tell_the_same_and_the_file_goes_where_it_is_sent() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let broken = mock(dir.path(), &["--defect", "activity.description-missing"]);
    let words = ["explore", "--target", "target.yaml", "--cases", "20", "--seed", "7", "--save"];
    let more = ["found/", "--format", "json", "--report", "junit=j.xml", "--report", "html=h.html"];
    let said = run(&[&words[..], &more[..]].concat(), dir.path()).ended(1).json();
    assert_eq!(said["exit_code"], 1);
    assert_eq!(said["saved"], "found/explored-7.yaml");
    let first = &said["violations"][0];
    assert_eq!(first["requirement"], "get-legal-request-activity.shape");
    assert!(first["curl"].as_array().is_some_and(|lines| !lines.is_empty()), "{first}");
    for file in ["found/explored-7.yaml", "j.xml", "h.html"] {
        let text = fs::read_to_string(dir.path().join(file)).expect("it was written");
        assert!(!text.contains("demo-main-secret"), "{file}");
    }
    broken.stop("-TERM");
}

#[test]
fn usage_errors_and_unreachable_targets_have_their_exit_codes() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let at = dir.path();
    for words in [
        &["--cases", "0"][..],
        &["--save", "a.txt"],
        &["--target", "none.yaml"],
        &["--model", "none"],
        &["--report", "ndjson=events"],
    ] {
        run(&[&["explore"], words].concat(), at).ended(2);
    }
    fs::write(at.join("own.yaml"), "own: work\n").expect("writable");
    run(&["explore", "--cases", "3", "--save", "own.yaml"], at).ended(2);
    deployment::target(at, "http://127.0.0.1:9", "");
    run(&["explore", "--target", "target.yaml"], at).ended(4);
    let said = explored(&["explore", "--cases", "3", "--seed", "1"], at, 0);
    assert_eq!(outcome(&said), ("nothing found", 3, 3), "{said}");
    assert_eq!(said["target"]["class"], "mock in process");
}

#[test]
fn an_expected_failure_is_named_and_is_no_violation() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let at = dir.path();
    let defects = ["activity.description-missing", "token.lifetime-text"];
    let broken = mock(at, &["--defect", defects[0], "--defect", defects[1]]);
    let known = "- { id: get-legal-request-activity.shape, outcome: fail, reason: OPS-1 }\n\
                 - { id: list-webhooks.status-200, outcome: fail, reason: OPS-2 }\n\
                 - { id: '04_02_list_workflows/x#list-workflows.shape', outcome: fail, reason: OPS-3 }\n";
    fs::write(at.join("known.yaml"), known).expect("writable");
    let words = ["explore", "--target", "target.yaml", "--cases", "30", "--seed", "7"];
    let expected = ["--expected", "known.yaml", "--format", "json"];
    let said = run(&[&words[..], &expected].concat(), at).ended(1).json();
    let found = said["violations"].as_array().expect("a list");
    let names: BTreeSet<&str> =
        found.iter().filter_map(|one| one["requirement"].as_str()).collect();
    assert!(names.iter().any(|name| name.starts_with("token.")), "the search goes on: {names:?}");
    assert!(!names.contains("get-legal-request-activity.shape"), "{names:?}");
    let states: Vec<_> = said["expected"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["state"].as_str(), one["note"].is_string()))
        .collect();
    let away = (Some("inapplicable"), true);
    assert_eq!(states, [(Some("happened"), false), away, away], "{}", said["expected"]);
    // All failures are expected, and an expected failure that does not occur is not drift.
    let all: String = names
        .iter()
        .map(|id| format!("- {{ id: {id}, outcome: fail, reason: OPS-4 }}\n"))
        .collect();
    fs::write(at.join("known.yaml"), format!("{known}{all}")).expect("writable");
    let target = fs::read_to_string(at.join("target.yaml")).expect("readable");
    fs::write(at.join("target.yaml"), format!("{target}expected: known.yaml\n")).expect("writable");
    let said = explored(&words, at, 0);
    let entries = said["expected"].as_array().expect("a list");
    let first = &entries[0];
    assert_eq!((&first["reason"], &first["outcome"]), (&"OPS-1".into(), &"fail".into()));
    let notes: Vec<&str> = entries.iter().filter_map(|entry| entry["note"].as_str()).collect();
    insta::assert_snapshot!(notes.join("\n"), @r"
    no case showed it, which is not drift here: other cases may
    it names a scenario, and cases are drawn; `list-workflows.shape` alone is expected here too
    ");
    let text = run(&words, at).ended(0).stdout;
    assert!([&["OPS-1"], &notes[..]].concat().iter().all(|part| text.contains(part)), "{text}");
    let messages = [
        "- { id: no-such.row, outcome: fail, reason: x }",
        "- { id: token.lifetime-7200, outcome: fail, reason: x, expires: 2020-01-31 }",
    ]
    .map(|wrong| {
        fs::write(at.join("known.yaml"), wrong).expect("writable");
        message(&run(&words, at).ended(2).stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: known.yaml:1:9: there is no requirement `no-such.row` (a scenario is named `FILE/ID`)
    error: known.yaml:1:9: the expected failure `token.lifetime-7200` expired on 2020-01-31 (x); fix it, or move `expires`
    ");
    broken.stop("-TERM");
}

/// Methods and paths of the requests, without those to the token endpoint.
async fn reached(server: &wiremock::MockServer) -> Vec<(String, String)> {
    let all = server.received_requests().await.unwrap_or_default();
    all.iter()
        .map(|request| (request.method.to_string(), request.url.path().to_owned()))
        .filter(|(_, path)| !path.ends_with("/oauth/token"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_consent_a_deployment_is_only_read() {
    let server = deployment::start("default").await;
    let dir = deployment::deployed(&server, "");
    let words = ["explore", "--target", "target.yaml", "--cases", "12", "--seed", "3"];
    run(&words, dir.path()).ended(0);
    let methods: BTreeSet<String> =
        reached(&server).await.into_iter().map(|(method, _)| method).collect();
    assert_eq!(methods, BTreeSet::from(["GET".to_owned()]));
}

#[tokio::test(flavor = "multi_thread")]
async fn exploring_leaves_at_most_the_limit_on_a_deployment_and_reports_it() {
    let server = deployment::start("default").await;
    let dir = deployment::deployed(&server, "consent: [write, delete]\n");
    let target = dir.path().join("target.yaml");
    let text = fs::read_to_string(&target).expect("it was written");
    let text = text.replace("created_objects_max: 1000", "created_objects_max: 5");
    fs::write(&target, text).expect("writable");
    let words = ["explore", "--target", "target.yaml", "--cases", "20", "--seed", "7"];
    let said = run(&[&words[..], &["--format", "json"]].concat(), dir.path()).ended(0).json();
    let left = said["residue"].as_array().expect("a list");
    assert!(!left.is_empty() && left.len() <= 5, "{left:?}");
    assert!(left.iter().all(|one| one["kind"] != "webhook"), "webhooks are deleted: {left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_case_the_exit_code_is_3() {
    let server = deployment::start("default").await;
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = format!(
        "base_url: {}/api\nadmin: none\napplications:\n  main: {{ client_id: demo-writer, \
         client_secret: demo-writer-secret-Cb6Rx1Qe8Ma3Vk5N, scopes: [write] }}\n",
        server.uri()
    );
    fs::write(dir.path().join("target.yaml"), text).expect("writable");
    let words = ["explore", "--target", "target.yaml", "--cases", "4", "--seed", "2"];
    let said = explored(&words, dir.path(), 3);
    assert_eq!((&said["outcome"], &said["walked"]), (&"nothing explored".into(), &0.into()));
    assert_eq!(reached(&server).await, [], "it may not read, and has no consent to write");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_fetched_only_with_consent() {
    for (consent, is_asked) in [("write", false), ("write, fetch", true)] {
        let server = deployment::start("default").await;
        let dir = tempfile::tempdir().expect("a temporary folder");
        let more = format!("consent: [{consent}]\n");
        deployment::target(dir.path(), &deployment::base_url(&server), &more);
        let words = ["explore", "--target", "target.yaml", "--cases", "20", "--seed", "3"];
        run(&words, dir.path()).ended(0);
        let sent = server.received_requests().await.unwrap_or_default();
        let by_address = |request: &wiremock::Request| {
            String::from_utf8_lossy(&request.body).contains("name=\"url\"")
        };
        assert_eq!(sent.iter().any(by_address), is_asked, "{consent}");
    }
}

/// The output of a shell for this line.
fn shell(line: &str, token: &str) -> String {
    let output = std::process::Command::new("sh")
        .args(["-c", line])
        .env("MOOT_TOKEN_MAIN_READ", token)
        .output()
        .expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_lines_of_a_failure_run_in_a_shell_as_they_are_printed() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let broken = Running::start(&["--format", "json", "--defect", "activity.description-missing"]);
    let base_url = &broken.base_url();
    // Without the control plane there are no sandboxes. They would already be deleted now.
    deployment::target(dir.path(), base_url, "");
    let words = ["explore", "--target", "target.yaml", "--cases", "30", "--seed", "7"];
    let said = run(&[&words[..], &["--format", "json"]].concat(), dir.path()).ended(1).json();
    let lines = said["violations"][0]["curl"].as_array().expect("a list");
    let ask = format!(
        "curl -sS {base_url}/oauth/token -d grant_type=client_credentials -d client_id=demo-reader \
         -d client_secret=demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T -d scope=read"
    );
    let response: Value = serde_json::from_str(&shell(&ask, "")).expect("a token");
    let token = response["access_token"].as_str().expect("a text");
    let shown: Vec<String> =
        lines.iter().filter_map(Value::as_str).map(|line| shell(line, token)).collect();
    assert!(
        shown.iter().all(|response| response.starts_with("HTTP/1.1 200")),
        "{lines:?} {shown:?}"
    );
    let last = shown.last().expect("there is a line");
    assert!(last.contains("activity_log") && !last.contains("\"description\""), "{last}");
    broken.stop("-TERM");
}
