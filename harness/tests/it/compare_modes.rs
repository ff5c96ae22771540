//! Each class of difference for each kind of pair in `moot compare`: the mock and a deployment, two deployments, a
//! recording and a deployment. Text, JSON, page and exit code are checked.

use std::fs;
use std::path::Path;

use moot_harness::compare::SCHEMA;
use serde_json::Value;

use crate::command_support::{folder_of, run};
use crate::five_changes::{Change, start};

/// A few calls that show every change. Each comparison runs them twice.
const SCENARIOS: &str = r#"
section: "4"
title: A deployment of which five things are known
scenarios:
  - id: a-request
    title: A request is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        query: { status: expired }
        token: read
        require: { status: 200 }
        capture: { some: "$.data[?@.attributes.name == 'Office lease — Sample Counterparty 060 Ltd'].id" }
      - request: GET /v1/requests/<some.0>
        token: read
        snapshot: true
        expect:
          get-legal-request.status-200: { status: 200 }
  - id: workflows
    title: Workflows are listed
    needs: [read]
    steps:
      - request: GET /v1/workflows
        query: { status: unpublished }
        token: read
        snapshot: true
        expect:
          list-workflows.status-200: { status: 200 }
  - id: a-log
    title: The log of a request has an order
    needs: [read]
    steps:
      - request: GET /v1/requests
        query: { status: signed }
        token: read
        require: { status: 200 }
        capture: { some: "$.data[*].id" }
      - request: GET /v1/requests/<some.0>/activity
        token: read
        snapshot: true
        expect:
          get-legal-request-activity.status-200: { status: 200 }
        observe: { list_order: "$.data[*].attributes.created_at" }
  - id: another-company
    title: What belongs to another company is not there
    needs: [read, second_company]
    steps:
      - request: GET /v1/workflows
        token: read
        require: { status: 200 }
        capture: { ours: "$.data[*].id" }
      - request: GET /v1/workflows/<ours.0>
        as: other_company
        token: read
        control: { as: main, require: { status: 200 } }
        expect:
          isolation.get-workflow: { status: [403, 404] }
        observe: { other_company: status }
  - id: an-upload-of-nothing
    title: An upload without a document is refused
    needs: [write]
    steps:
      - request: POST /v1/repository_documents
        token: write
        multipart: { parts: [{ name: metadata, text: "{}" }] }
        expect:
          create-repository-document.file-or-url-required: { status: 400 }
"#;

/// A single difference: the change, its class on side B and on side A, its subject, its heading and the exit code.
struct Row {
    change: Change,
    classes: [&'static str; 2],
    subject: &'static str,
    headings: [&'static str; 2],
    code: i32,
}

const ROWS: [Row; 3] = [
    Row {
        change: Change::Defect,
        classes: ["b_violates", "a_violates"],
        subject: "create-repository-document.file-or-url-required",
        headings: ["B violates", "A violates"],
        code: 1,
    },
    Row {
        change: Change::Answer,
        classes: ["both_allowed", "both_allowed"],
        subject: "other_company",
        headings: ["Both allowed", "Both allowed"],
        code: 5,
    },
    Row {
        change: Change::Field,
        classes: ["undecidable", "undecidable"],
        subject: "member legal_request/attributes/priority",
        headings: ["Undecidable", "Undecidable"],
        code: 3,
    },
];

/// Starts the deployment with these changes, and writes a target file with this name.
async fn deployed(dir: &Path, name: &str, seed: u64, changes: &[Change]) -> wiremock::MockServer {
    let server = start(dir, seed, changes).await;
    // No answers are pinned here.
    fs::write(dir.join("pinned.yaml"), "").expect("writable");
    fs::rename(dir.join("target.yaml"), dir.join(name)).expect("it was written");
    server
}

/// Compares two sides, and checks that text, JSON and page agree. Returns the differences with their classes.
#[track_caller]
fn compared(dir: &Path, sides: [&str; 2], heading: &str, code: i32) -> Vec<(String, String)> {
    let words = ["compare", sides[0], sides[1], "--scenarios", "sample.yaml"];
    let reports = ["--report", "json=c.json", "--report", "html=c.html"];
    let ran = run(&[&words[..], &reports].concat(), dir);
    assert_eq!(ran.code, Some(code), "{sides:?}\n{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(heading), "{}", ran.stdout);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("c.json")).expect("the report"))
            .expect("it is JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    assert!(jsonschema::draft202012::is_valid(&schema, &report), "{report:#}");
    assert_eq!(report["exit_code"], code);
    let page = fs::read_to_string(dir.join("c.html")).expect("the page");
    let all = report["differences"].as_array().expect("a list");
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    for one in all {
        let subject = text(one, "subject");
        assert!(page.contains(&subject.replace('/', "&#x2f;")) && ran.stdout.contains(&subject));
        // The report shows both readings or both answers.
        assert!(!text(one, "a").is_empty() && !text(one, "b").is_empty(), "{one:#}");
        assert!(!one["places"].as_array().expect("a list").is_empty(), "{one:#}");
    }
    all.iter().map(|one| (text(one, "class"), text(one, "subject"))).collect()
}

#[track_caller]
fn check(dir: &Path, same: &str, changed: &str, row: &Row) {
    for (at, sides) in [[same, changed], [changed, same]].into_iter().enumerate() {
        let found = compared(dir, sides, row.headings[at], row.code);
        let expected = (row.classes[at].to_owned(), row.subject.to_owned());
        assert_eq!(found, [expected], "{sides:?} {:?}", row.change);
    }
}

fn folder() -> tempfile::TempDir {
    folder_of(&[("sample.yaml", SCENARIOS)])
}

#[tokio::test]
async fn the_mock_and_a_deployment() {
    let dir = folder();
    let dir = dir.path();
    let _same = deployed(dir, "same.yaml", 1, &[]).await;
    assert_eq!(compared(dir, ["mock", "same.yaml"], "the same: ", 0), []);
    for row in &ROWS {
        let _changed = deployed(dir, "changed.yaml", 2, &[row.change]).await;
        check(dir, "mock", "changed.yaml", row);
    }
}

#[tokio::test]
async fn two_deployments() {
    let dir = folder();
    let dir = dir.path();
    let _same = deployed(dir, "same.yaml", 1, &[]).await;
    let _other = deployed(dir, "other.yaml", 3, &[]).await;
    assert_eq!(compared(dir, ["same.yaml", "other.yaml"], "the same: ", 0), []);
    for row in &ROWS {
        let _changed = deployed(dir, "changed.yaml", 2, &[row.change]).await;
        check(dir, "same.yaml", "changed.yaml", row);
    }
}

#[tokio::test]
async fn a_recording_and_today() {
    let dir = folder();
    let dir = dir.path();
    let _same = deployed(dir, "same.yaml", 1, &[]).await;
    let words = ["run", "--target", "same.yaml", "--scenarios", "sample.yaml", "--record", "kept"];
    run(&words, dir).ended(0);
    assert_eq!(compared(dir, ["kept", "same.yaml"], "the same: ", 0), []);
    for row in &ROWS {
        let _changed = deployed(dir, "changed.yaml", 2, &[row.change]).await;
        check(dir, "kept", "changed.yaml", row);
    }
}
