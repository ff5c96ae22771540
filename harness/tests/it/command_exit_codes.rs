//! Each exit code of `moot run`, and the precedence between two of them, with the real binary.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use wiremock::matchers::{body_string_contains, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::command_support::{Ran, message, run};
use crate::deployment::{base_url, judged, start, target};

const LISTS: &str = "
  - id: lists
    title: The list is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        snapshot: true
        expect: { list-legal-requests.status-200: { status: 200 } }
";
const VIOLATES: &str = "
  - id: violates
    title: No target can hold this
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect: { list-workflows.status-200: { status: 418 } }
";
const UNMET: &str = "
  - id: unmet
    title: Nobody receives anything here
    needs: [receiver]
    steps:
      - request: GET /v1/requests
        token: read
        expect: { list-legal-requests.status-200: { status: 200 } }
";
const BREAKS: &str = "
  - id: breaks
    title: Nothing answers there
    needs: [read]
    steps:
      - request: GET /v1/webhooks
        token: read
        expect: { list-webhooks.status-200: { status: 200 } }
";

/// A folder with these scenarios in `sample.yaml`, and a target file for `base_url`.
fn folder(base_url: &str, scenarios: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let text = format!("section: \"4.6\"\ntitle: A sample\nscenarios:{}", scenarios.concat());
    fs::write(dir.path().join("sample.yaml"), text).expect("writable");
    target(dir.path(), base_url, "");
    dir
}

/// A correct deployment. Only its webhook endpoint does not respond in time.
async fn deployment() -> (MockServer, String) {
    let server = start("default").await;
    Mock::given(method("GET"))
        .and(path("/api/v1/webhooks"))
        .respond_with(ResponseTemplate::new(200).set_delay(Duration::from_secs(20)))
        .mount(&server)
        .await;
    let base = base_url(&server);
    (server, base)
}

#[tokio::test]
async fn the_most_severe_exit_code_wins() {
    let (_server, base) = deployment().await;
    let rows: [(&str, &[&str], &[&str], i32); 10] = [
        ("sound", &[LISTS], &[], 0),
        ("violation", &[LISTS, VIOLATES], &[], 1),
        ("not run", &[LISTS, UNMET], &[], 3),
        ("nothing ran", &[UNMET], &[], 3),
        ("no response", &[LISTS, BREAKS], &[], 4),
        ("no response before not run", &[LISTS, UNMET, BREAKS], &[], 4),
        ("violation before no response", &[BREAKS, VIOLATES], &[], 1),
        ("unknown selector", &[VIOLATES], &["violate"], 2),
        ("report not written", &[LISTS], &["--report", "json=/dev/full"], 70),
        ("fault before violation", &[VIOLATES], &["--report", "json=/dev/full"], 70),
    ];
    for (name, scenarios, words, code) in rows {
        let dir = folder(&base, scenarios);
        let ran = judged(dir.path(), &[&["--scenarios", "sample.yaml"], words].concat(), code);
        if name == "unknown selector" {
            insta::assert_snapshot!(message(&ran.stderr), @r"
            error: no scenario matches `violate`; did you mean `violates`?
            help: `moot list` shows all scenarios
            ");
        }
    }
}

#[tokio::test]
async fn drift_is_before_not_run_and_after_trouble() {
    let (_server, base) = deployment().await;
    let dir = folder(&base, &[LISTS]);
    let words = |mode| ["--scenarios", "sample.yaml", "--snapshots", mode];
    judged(dir.path(), &words("record"), 0);
    spoil(&dir.path().join("snapshots"));
    for (scenarios, code) in
        [(&[LISTS][..], 5), (&[LISTS, UNMET], 5), (&[LISTS, BREAKS], 4), (&[LISTS, VIOLATES], 1)]
    {
        let other = folder(&base, scenarios);
        fs::copy(other.path().join("sample.yaml"), dir.path().join("sample.yaml")).expect("room");
        judged(dir.path(), &words("check"), code);
    }
}

/// Changes the recorded response.
fn spoil(folder: &Path) {
    for entry in fs::read_dir(folder).expect("it was recorded").flatten() {
        if entry.path().is_dir() {
            spoil(&entry.path());
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("it is text");
        fs::write(entry.path(), text.replace("200", "299")).expect("writable");
    }
}

#[tokio::test]
async fn a_wrong_target_file_is_2_and_names_the_near_miss() {
    let dir = folder("http://127.0.0.1:1/api", &[LISTS]);
    target(dir.path(), "http://127.0.0.1:1/api", "consnet: [write]\n");
    let ran = judged(dir.path(), &[], 2);
    insta::assert_snapshot!(message(&ran.stderr), @"error: target.yaml:17:1: unknown key `consnet`; did you mean `consent`?");
    run(&["run", "--target", "none.yaml"], dir.path()).ended(2);
}

/// The reason why the run ended early, from its JSON.
#[track_caller]
fn trouble(ran: &Ran) -> String {
    ran.json()["trouble"].as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn refused_credentials_are_4() {
    let (server, base) = deployment().await;
    Mock::given(path("/api/oauth/token"))
        .respond_with(
            ResponseTemplate::new(401)
                .set_body_json(serde_json::json!({ "error": "invalid_client" })),
        )
        .mount(&server)
        .await;
    let dir = folder(&base, &[LISTS, VIOLATES]);
    let ran = judged(dir.path(), &["--format", "json"], 4);
    insta::assert_snapshot!(message(&trouble(&ran)), @"target.yaml:4: 127.0.0.1:PORT gives no token to the application `main`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.main`; a value must not contain quotes or a line end");
}

/// The scenario for this need that uses only its own application.
fn of_application(role: &str, need: &str) -> String {
    format!(
        "
  - id: of-its-own
    title: The application has a token
    needs: [{need}]
    steps:
      - request: POST /oauth/token
        token: none
        form:
          grant_type: client_credentials
          client_id: <target.{role}.client_id>
          client_secret: <target.{role}.client_secret>
        expect: {{ token.scope-default-read: {{ status: {{ min: 200, max: 299 }} }} }}
"
    )
}

#[tokio::test]
async fn an_application_that_is_refused_is_4_and_no_violation() {
    let mut messages = String::new();
    for (client, role, need) in [
        ("demo-reader", "reader", "reader_application"),
        ("demo-writer", "writer", "writer_application"),
        ("other-main", "other_company", "second_company"),
    ] {
        let (server, base) = deployment().await;
        Mock::given(path("/api/oauth/token"))
            .and(body_string_contains(client))
            .respond_with(
                ResponseTemplate::new(401)
                    .set_body_json(serde_json::json!({ "error": "invalid_client" })),
            )
            .with_priority(1)
            .expect(1..)
            .mount(&server)
            .await;
        let scenario = of_application(role, need);
        let dir = folder(&base, &[LISTS, &scenario]);
        let ran = judged(dir.path(), &["--scenarios", "sample.yaml", "--format", "json"], 4);
        messages += &message(&format!("{}\n", trouble(&ran)));
        let dir = folder(&base, &[VIOLATES, &scenario]);
        judged(dir.path(), &["--scenarios", "sample.yaml"], 1);
    }
    insta::assert_snapshot!(messages, @r"
    target.yaml:5: 127.0.0.1:PORT gives no token to the application `reader`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.reader`; a value must not contain quotes or a line end
    target.yaml:6: 127.0.0.1:PORT gives no token to the application `writer`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.writer`; a value must not contain quotes or a line end
    target.yaml:7: 127.0.0.1:PORT gives no token to the application `other_company`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.other_company`; a value must not contain quotes or a line end
    ");
}

#[tokio::test]
async fn an_unwritable_report_is_2_before_a_request_is_sent() {
    let (server, base) = deployment().await;
    let dir = folder(&base, &[LISTS]);
    fs::create_dir(dir.path().join("folder")).expect("room");
    for words in [
        ["--report", "json=none/report.json"],
        ["--report", "html=folder"],
        ["--report", "ndjson=/proc/none"],
        ["--save-answers", "none/answers.yaml"],
        ["--save-answers", "folder"],
    ] {
        let ran = judged(dir.path(), &words, 2);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{words:?}: {}", ran.stdout);
    }
    assert!(server.received_requests().await.unwrap_or_default().is_empty());
    let left = fs::read_dir(dir.path()).expect("a folder").count();
    assert_eq!(left, 3, "the scenarios, the target file and the folder: nothing was made");
}

#[tokio::test]
async fn a_program_of_the_operator_that_does_not_exist_is_2_before_a_request_is_sent() {
    let (server, base) = deployment().await;
    let dir = folder(&base, &[LISTS]);
    let file = dir.path().join("target.yaml");
    let text = fs::read_to_string(&file).expect("it was written");
    let operator = "operator: { command: [./operate.sh], actions: [restart] }\n";
    fs::write(&file, format!("{text}{operator}")).expect("writable");
    let ran = judged(dir.path(), &["--scenarios", "sample.yaml"], 2);
    assert!(ran.stderr.contains("`operator.command`: there is no program"), "{}", ran.stderr);
    assert!(server.received_requests().await.unwrap_or_default().is_empty());
    fs::write(dir.path().join("operate.sh"), "").expect("writable");
    judged(dir.path(), &["--scenarios", "sample.yaml"], 0);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_does_not_stop_the_reports() {
    let (_server, base) = deployment().await;
    let dir = folder(&base, &[LISTS]);
    let sample = ["run", "--scenarios", "sample.yaml", "--target", "target.yaml"];
    let shard = ["--seed", "1", "--shard", "1/1", "--record", "part"];
    run(&[&sample[..], &shard].concat(), dir.path()).ended(0);
    let answers = ["--save-answers", "/dev/full"];
    let bundle = ["--snapshots", "record", "--snapshot-bundle", "/dev/full"];
    for words in [
        [&sample[..], &answers].concat(),
        [&sample[..], &bundle].concat(),
        [&["merge", "part"][..], &answers].concat(),
    ] {
        let report = dir.path().join("report.json");
        let ran = run(&[&words[..], &["--report", "json=report.json"]].concat(), dir.path());
        let ran = ran.ended(70);
        assert!(ran.stdout.contains("conformant"), "{words:?}: {}", ran.stdout);
        assert!(ran.stderr.contains("`/dev/full` cannot be written"), "{}", ran.stderr);
        fs::remove_file(report).expect("it was written");
    }
}

#[test]
fn a_closed_port_is_4() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let dir = folder(&format!("http://{closed}/api"), &[VIOLATES]);
    judged(dir.path(), &[], 4);
}

#[test]
fn a_port_that_never_answers_is_4_before_long() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("it is bound");
    let dir = folder(&format!("http://{address}/api"), &[VIOLATES]);
    let started = Instant::now();
    judged(dir.path(), &[], 4);
    assert!(started.elapsed() < Duration::from_secs(12), "{:?}", started.elapsed());
}

#[test]
fn reports_show_the_mistake_of_a_target_file() {
    let dir = folder("nonsense", &[LISTS]);
    let reports = ["--report", "json=report.json", "--report", "junit=report.xml"];
    let line = ["run", "--scenarios", "sample.yaml", "--target", "target.yaml"];
    run(&[&line[..], &reports[..]].concat(), dir.path()).ended(2);
    let report = fs::read_to_string(dir.path().join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(
        (&report["exit_code"], &report["target"]["name"]),
        (&2.into(), &"target.yaml".into())
    );
    let trouble = report["trouble"].as_str().expect("a text");
    assert!(trouble.starts_with("target.yaml:1:"), "{trouble}");
    let junit = fs::read_to_string(dir.path().join("report.xml")).expect("a report");
    assert!(junit.contains("target.yaml:1:"), "{junit}");
}
