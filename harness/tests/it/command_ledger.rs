//! Objects that a run leaves on a deployment. There are never more than allowed, and each is recorded before its
//! creation.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::command_support::{moot, read_json};
use crate::deployment::{deployed, edit, judged, start};

const UPLOADS: &str = r#"section: "4.9"
title: A sample
scenarios:
  - id: uploads
    title: Documents are taken
    needs: [write]
    for_each: { number: [1, 2, 3, 4, 5] }
    steps:
      - request: POST /v1/repository_documents
        token: write
        multipart:
          parts: [{ name: file, file: agreement.pdf, filename: "moot-<run.tag>-<number>.pdf" }]
        expect: { create-repository-document.shape: { schema: true } }
"#;

async fn uploads(response: ResponseTemplate, hits: impl Into<wiremock::Times>) -> MockServer {
    let server = start("default").await;
    Mock::given(method("POST"))
        .and(path("/api/v1/repository_documents"))
        .respond_with(response)
        .with_priority(1)
        .expect(hits)
        .mount(&server)
        .await;
    server
}

fn folder(server: &MockServer, created_objects_max: u32) -> tempfile::TempDir {
    let dir = deployed(server, "consent: [write]\nledger: ledger.ndjson\n");
    fs::write(dir.path().join("uploads.yaml"), UPLOADS).expect("writable");
    let limit = format!("created_objects_max: {created_objects_max}");
    let edits = [
        ("created_objects_max: 1000", &*limit),
        ("silence_seconds: 2", "silence_seconds: 30"),
        ("exchange_seconds: 4", "exchange_seconds: 30"),
    ];
    edit(dir.path(), &edits);
    dir
}

fn ledger(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("ledger.ndjson")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

const WORDS: [&str; 4] = ["--scenarios", "uploads.yaml", "--report", "json=report.json"];

#[tokio::test]
async fn scenarios_beyond_the_budget_are_not_run() {
    let body = json!({
        "success": true, "message": "m",
        "data": { "id": "d1", "name": "n.pdf", "created_at": jiff::Timestamp::now().to_string() },
    });
    let server = uploads(ResponseTemplate::new(201).set_body_json(body), 3).await;
    let dir = folder(&server, 3);
    let ran = judged(dir.path(), &WORDS, 3);
    let report = read_json(dir.path().join("report.json"));
    assert_eq!(report["counts"]["fail"], 0, "{}", ran.stdout);
    insta::assert_snapshot!(report["not_run"][0]["reason"].to_string(), @r#""not sent: the run has created as many objects as `limits.created_objects_max` in the target file allows: 3""#);
    assert_eq!(report["residue"].as_array().map(Vec::len), Some(3), "all are listed");
    let created = |row: &&Value| row["what"] == "created";
    assert_eq!(ledger(dir.path()).iter().filter(created).count(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_run_killed_during_a_creating_call_has_recorded_it() {
    let never = ResponseTemplate::new(201).set_delay(Duration::from_secs(60));
    let server = uploads(never, 1).await;
    let dir = folder(&server, 3);
    let mut command =
        moot(&[&["run", "--target", "target.yaml"], &WORDS[..2]].concat(), dir.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(30);
    let is_there =
        |request: &wiremock::Request| request.url.path() == "/api/v1/repository_documents";
    while !server.received_requests().await.unwrap_or_default().iter().any(is_there) {
        assert!(Instant::now() < deadline, "the run never came to the call");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-KILL", &pid]).status().expect("there is a kill");
    assert!(killed.success());
    child.wait().expect("it is gone");
    let rows = ledger(dir.path());
    assert_eq!(rows.len(), 1, "{rows:?}");
    let row = &rows[0];
    assert_eq!((&row["what"], &row["kind"]), (&json!("creating"), &json!("repository_document")));
    assert_eq!(row["scenario"], "uploads/uploads[1]");
    assert!(row["run"].as_str().is_some_and(|tag| tag.starts_with("moot-")), "{row}");
    assert!(row["target"].as_str().is_some_and(|it| it.starts_with(&server.uri())), "{row}");
}
