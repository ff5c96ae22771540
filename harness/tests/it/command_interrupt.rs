//! Ctrl-C during a run on a deployment: the first one ends the run with a report, the second one immediately.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use crate::command_support::{message, moot, read_json};
use crate::deployment::{answered, base_url, start, target};

const SAMPLE: &str = r#"section: "4.9"
title: A sample
scenarios:
  - id: begun
    title: It makes something, is slow, and tidies up
    needs: [write]
    steps:
      - request: POST /v1/repository_documents
        token: write
        multipart:
          parts: [{ name: file, file: agreement.pdf }]
        expect: { create-repository-document.shape: { schema: true } }
        finally:
          - request: GET /v1/requests
            token: read
            expect: { list-legal-requests.status-200: { status: 200 } }
      - request: GET /v1/webhooks
        token: read
        expect: { list-webhooks.status-200: { status: 200 } }
      - request: GET /v1/workflows
        token: read
        expect: { list-workflows.status-200: { status: 200 } }
  - id: next
    title: It never begins
    needs: [read]
    steps:
      - request: GET /v1/workflows
        token: read
        expect: { list-workflows.status-200: { status: 200 } }
"#;

/// The delay of the slow response.
const SLOW: Duration = Duration::from_millis(1500);

const RUN: [&str; 5] = ["run", "--target", "target.yaml", "--report", "json=report.json"];

/// A command that has sent the slow call to its target.
async fn begun(words: &[&str], dir: &Path) -> (MockServer, Child) {
    let server = start("default").await;
    let pagination =
        json!({ "current_page": 1, "per_page": 25, "total_pages": 1, "total_count": 0 });
    let empty = json!({ "pagination": pagination, "data": [] });
    let slow = ResponseTemplate::new(200).set_body_json(empty).set_delay(SLOW);
    answered(&server, "/api/v1/webhooks", slow).await;
    fs::write(dir.join("sample.yaml"), SAMPLE).expect("writable");
    target(dir, &base_url(&server), "consent: [write]\nledger: ledger.ndjson\n");
    let mut command = moot(&[words, &["--scenarios", "sample.yaml"]].concat(), dir);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !reached(&server, "/api/v1/webhooks").await {
        assert!(Instant::now() < deadline, "the run never came to the slow call");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    (server, child)
}

async fn reached(server: &MockServer, wanted: &str) -> bool {
    let all = server.received_requests().await.unwrap_or_default();
    all.iter().any(|request| request.url.path() == wanted)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let told = Command::new("kill").args([name, &pid]).status().expect("there is a kill");
    assert!(told.success());
}

fn ended(child: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[tokio::test]
async fn the_first_signal_ends_a_run_in_order() {
    let mut said = Vec::new();
    for name in ["-INT", "-TERM"] {
        let dir = tempfile::tempdir().expect("a folder");
        let (server, child) = begun(&RUN, dir.path()).await;
        signal(&child, name);
        let (code, stdout, stderr) = ended(child);
        assert_eq!(code, Some(3), "{stdout}{stderr}");
        said.push(message(&stderr));
        assert!(stdout.contains("sample/next"), "the text report is printed: {stdout}");
        assert!(reached(&server, "/api/v1/requests").await, "what always runs did");
        let report = read_json(dir.path().join("report.json"));
        assert_eq!((&report["exit_code"], &report["counts"]["fail"]), (&3.into(), &0.into()));
        let not_run = report["not_run"].as_array().expect("a list").iter();
        let names: Vec<&Value> =
            not_run.filter_map(|row| row["names"].as_array()).flatten().collect();
        assert!(names.contains(&&"sample/next".into()), "{names:?}");
        let kinds: Vec<&Value> = report["residue"].as_array().expect("a list").iter().collect();
        assert_eq!(kinds.len(), 1, "{kinds:?}");
        assert_eq!(kinds[0]["kind"], "repository_document");
    }
    assert_eq!(said[0], said[1]);
    insta::assert_snapshot!(said[0], @"interrupted: no further scenario starts, and those that run are cleaned up; a second signal stops at once");
}

#[tokio::test]
async fn the_second_signal_stops_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_server, child) = begun(&RUN, dir.path()).await;
    let since = Instant::now();
    signal(&child, "-INT");
    // Two signals at the same time count as one.
    tokio::time::sleep(Duration::from_millis(200)).await;
    signal(&child, "-INT");
    let (code, _, stderr) = ended(child);
    assert!(since.elapsed() < SLOW, "{:?}", since.elapsed());
    assert_eq!(code, Some(3), "{stderr}");
    insta::assert_snapshot!(message(&stderr), @r"
    interrupted: no further scenario starts, and those that run are cleaned up; a second signal stops at once
    error: stopped at once: there is no report
    help: the ledger lists the objects that the run created on a deployment
    ");
    assert!(!dir.path().join("report.json").exists());
    let ledger = fs::read_to_string(dir.path().join("ledger.ndjson")).expect("it was written");
    assert!(ledger.contains("repository_document"), "{ledger}");
}

#[tokio::test]
async fn an_interrupted_comparison_cleans_up_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let (server, child) = begun(&["compare", "target.yaml", "mock"], dir.path()).await;
    signal(&child, "-INT");
    let (code, stdout, stderr) = ended(child);
    assert_eq!(code, Some(3), "{stdout}{stderr}");
    assert!(reached(&server, "/api/v1/requests").await, "what always runs did");
    insta::assert_snapshot!(message(&stderr), @r"
    interrupted: no further scenario starts, and those that run are cleaned up; a second signal stops at once
    error: interrupted: there is no comparison
    ");
}
