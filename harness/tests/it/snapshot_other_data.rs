//! Snapshots of a deployment: other stored data are no drift, but other behaviour is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use moot_fixtures::contract::ProblemType;
use serde_json::Value;

use crate::command_support::{Running, read_json, run};
use crate::deployment;

/// Snapshots of the mock.
const BUNDLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/mock");

/// The scenarios that have a snapshot and run on a deployment.
const STEPS: [&str; 26] = [
    "workflow-schema-members",
    "scope-granted-is-scope-asked",
    "token-works-as-bearer",
    "workflows-listed",
    "workflow-as-listed",
    "workflow-unknown-id",
    "schema-unknown-id",
    "created-from-its-schema",
    "always-required-field-missing",
    "create-documented-errors",
    "requests-listed",
    "request-by-id",
    "request-unknown-id",
    "activity-of-a-request",
    "activity-unknown-id",
    "document-uploaded-as-file",
    "document-without-file-or-url",
    "document-type-unsupported",
    "document-upload-needs-write",
    "documents-listed",
    "documents-agree-with-get",
    "document-id-of-another-resource",
    "webhook*",
    "credentials-become-a-token",
    "problem-*",
    "token-failure-is-no-problem",
];

/// Bundled snapshots of scenarios that need an expired or revoked token of the target file.
const ELSEWHERE: [&str; 2] = [
    "07_errors/problem-of-a-revoked-token__GET_v1_requests",
    "07_errors/problem-of-an-expired-token__GET_v1_requests",
];

/// A folder with the snapshots of the mock without options. It is written once.
static RECORDED: LazyLock<PathBuf> = LazyLock::new(|| {
    let dir = tempfile::tempdir().expect("a temporary folder").keep();
    let kept = dir.join("kept");
    assert!(judged(&dir, &kept, &["--seed", "1"], &STEPS, "record").len() > 30);
    kept
});

/// The checks of snapshots on a mock with these options that hides its control plane.
fn judged(dir: &Path, kept: &Path, words: &[&str], selectors: &[&str], mode: &str) -> Vec<Value> {
    let mock = Running::start(&[&["--format", "json"], words].concat());
    let ready = mock.ready();
    let base_url = ready["base_url"].as_str().expect("an address");
    deployment::target(dir, base_url, deployment::ALL_BUT_LOAD);
    let kept = kept.to_string_lossy();
    let plan = ["run", "-q", "--target", "target.yaml", "--snapshot-dir", &kept, "--snapshots"];
    let ran = run(&[&plan[..], &[mode, "--report", "json=run.json"], selectors].concat(), dir);
    assert!(matches!(ran.code, Some(0 | 1 | 5)), "{}{}", ran.stdout, ran.stderr);
    let report = read_json(dir.join("run.json"));
    let checks = report["checks"].as_array().into_iter().flatten();
    checks.filter(|it| it["snapshot"].is_string()).cloned().collect()
}

/// Name and difference of each drift.
fn drifted(checks: &[Value]) -> Vec<String> {
    let drifted = checks.iter().filter(|it| it["verdict"] == "drift");
    drifted.map(|it| format!("{} {}", it["snapshot"], it["actual"])).collect()
}

/// The bundled world with other ids, names, numbers and another order.
fn other_world() -> String {
    let text =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/worlds/demo.yaml"))
            .expect("it is there");
    let mut text = text
        .replace("id: wf", "id: other")
        .replace("name: Mutual NDA", "name: One-way NDA")
        .replace("description: Third-party paper", "description: Paper of theirs")
        .replace("Northwind Example Ltd", "Southwind Example plc")
        .replace("generated_legal_requests: 60", "generated_legal_requests: 3")
        .replace("generated_repository_documents: 60", "generated_repository_documents: 7")
        .replace("generated_webhooks: 55", "generated_webhooks: 0")
        .replace("status: unpublished", "status: published");
    // A list begins with other requests. Some have a description, some have none.
    for (status, other) in
        [("status: draft", "status: archived"), ("status: expired", "status: draft")]
    {
        text = text.replace(status, other);
    }
    text
}

/// The names of the accepted snapshots in a folder.
fn names(dir: &Path) -> Vec<String> {
    let all = moot_snapshots::list(dir).expect("a folder of snapshots");
    all.into_iter().map(|entry| entry.name).collect()
}

#[test]
fn a_deployment_has_the_same_snapshots_as_the_bundled_ones() {
    let mut bundled = names(Path::new(BUNDLED));
    bundled.retain(|name| !ELSEWHERE.contains(&name.as_str()));
    assert_eq!(names(&RECORDED), bundled);
}

#[test]
fn every_operation_and_every_type_of_problem_has_a_bundled_snapshot() {
    // In the order of §4.
    let good: [&str; 14] = [
        "04_01_create_access_token/token-works-as-bearer__POST_oauth_token",
        "04_02_list_workflows/workflows-listed__GET_v1_workflows",
        "04_03_get_workflow/workflow-as-listed_published__GET_v1_workflows_workflow_id",
        "02_resources/workflow-schema-members__get_workflow_schema",
        "04_05_create_legal_request/created-from-its-schema__POST_v1_requests",
        "04_06_list_legal_requests/requests-listed__GET_v1_requests",
        "04_07_get_legal_request/request-by-id__GET_v1_requests_legal_request",
        "04_08_get_legal_request_activity/activity-of-a-request__GET_v1_requests_legal_request_activity",
        "04_09_create_repository_document/document-uploaded-as-file__POST_v1_repository_documents",
        "04_10_list_repository_documents/documents-listed__GET_v1_repository_documents",
        "04_10_list_repository_documents/documents-agree-with-get__GET_v1_repository_documents_document",
        "04_12_list_webhooks/webhooks-listed__GET_v1_webhooks",
        "04_13_delete_webhook/webhook-deleted-for-good__by_the_id_that_the_list_shows_which_is_that_of_its_creation",
        "04_14_create_webhook/webhook-registered__create_webhook",
    ];
    let text = |name: &str| {
        let file = moot_snapshots::file_of(Path::new(BUNDLED), name);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    for name in good {
        assert!(text(name).contains("\nHTTP 2"), "{name}");
    }
    let all: Vec<String> = names(Path::new(BUNDLED)).iter().map(|name| text(name)).collect();
    for problem in ProblemType::STATED {
        let member = format!("\n  \"type\": \"{}\"", problem.as_str());
        assert!(all.iter().any(|text| text.contains(&member)), "{}", problem.as_str());
    }
}

#[test]
fn other_data_in_another_order_is_no_drift() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    fs::write(dir.path().join("world.yaml"), other_world()).expect("writable");
    fs::write(dir.path().join("answers.yaml"), "list_order: oldest_first\n").expect("writable");
    let (world, answers) = (at("world.yaml"), at("answers.yaml"));
    for words in [
        &["--world", &world[..], "--seed", "7"][..],
        &["--world", &world, "--answers", &answers, "--seed", "8"],
        &["--answers", &answers, "--seed", "9"],
    ] {
        let checks = judged(dir.path(), &RECORDED, words, &STEPS, "check");
        assert!(checks.len() > 30, "{words:?}: {}", checks.len());
        assert_eq!(drifted(&checks), Vec::<String>::new(), "{words:?}");
    }
}

#[test]
fn another_type_member_status_or_header_is_drift() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (defect, step, said) in [
        ("problem.status-text", "problem-members", "404"),
        ("activity.description-missing", "activity-of-a-request", "description"),
        ("upload.nothing-is-422", "document-without-file-or-url", "HTTP 422"),
        ("token.lifetime-text", "scope-granted-is-scope-asked", "expires_in"),
        ("problem.plain-json", "problem-members", "content-type"),
    ] {
        let words = ["--defect", defect];
        let drifted = drifted(&judged(dir.path(), &RECORDED, &words, &[step], "check"));
        assert!(!drifted.is_empty(), "{defect}");
        assert!(drifted.iter().all(|one| one.contains(said)), "{defect}: {drifted:#?}");
    }
}
