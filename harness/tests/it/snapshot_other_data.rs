//! Snapshots of a deployment, held against one with other data: nothing is drift. Against one that answers
//! another way: that is.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::{Running, run};
use crate::deployment;

/// The steps that have a snapshot.
const STEPS: [&str; 12] = [
    "workflow-schema-members",
    "scope-granted-is-scope-asked",
    "workflows-listed",
    "created-from-its-schema",
    "requests-listed",
    "request-by-id",
    "activity-of-a-request",
    "document-uploaded-as-file",
    "document-without-file-or-url",
    "webhook-registered",
    "problem-members",
    "token-failure-is-no-problem",
];

/// The checks of snapshots on a mock with these options that hides its control plane.
fn judged(dir: &Path, words: &[&str], selectors: &[&str], mode: &str) -> Vec<Value> {
    let mock = Running::start(&[&["--format", "json"], words].concat());
    let ready: Value = serde_json::from_str(&mock.first_line).expect("one JSON line");
    let base_url = ready["base_url"].as_str().expect("an address");
    deployment::target(dir, base_url, deployment::ALL_BUT_LOAD);
    let plan = ["run", "-q", "--target", "target.yaml", "--snapshot-dir", "kept", "--snapshots"];
    let ran = run(&[&plan[..], &[mode, "--report", "json=run.json"], selectors].concat(), dir);
    assert!(matches!(ran.code, Some(0 | 1 | 5)), "{}{}", ran.stdout, ran.stderr);
    let report = fs::read_to_string(dir.join("run.json")).expect("it was written");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    let checks = report["checks"].as_array().into_iter().flatten();
    checks.filter(|it| it["snapshot"].is_string()).cloned().collect()
}

/// Name and difference of what drifted.
fn drifted(checks: &[Value]) -> Vec<String> {
    let drifted = checks.iter().filter(|it| it["verdict"] == "drift");
    drifted.map(|it| format!("{} {}", it["snapshot"], it["actual"])).collect()
}

/// A folder with the snapshots of the mock as it comes.
fn recorded() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    assert!(judged(dir.path(), &["--seed", "1"], &STEPS, "record").len() > 15);
    dir
}

/// The bundled world with other ids, names, numbers and an order of its own.
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
    // The first requests of a list are others, some with a description and some without.
    for (status, other) in
        [("status: draft", "status: archived"), ("status: expired", "status: draft")]
    {
        text = text.replace(status, other);
    }
    text
}

#[test]
fn other_data_in_another_order_is_no_drift() {
    let dir = recorded();
    let at = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    fs::write(dir.path().join("world.yaml"), other_world()).expect("writable");
    fs::write(dir.path().join("answers.yaml"), "list_order: oldest_first\n").expect("writable");
    let (world, answers) = (at("world.yaml"), at("answers.yaml"));
    for words in [
        &["--world", &world[..], "--seed", "7"][..],
        &["--world", &world, "--answers", &answers, "--seed", "8"],
        &["--answers", &answers, "--seed", "9"],
    ] {
        let checks = judged(dir.path(), words, &STEPS, "check");
        assert!(checks.len() > 15, "{words:?}: {}", checks.len());
        assert_eq!(drifted(&checks), Vec::<String>::new(), "{words:?}");
    }
}

#[test]
fn another_type_member_status_or_header_is_drift() {
    let dir = recorded();
    for (defect, step, said) in [
        ("problem.status-text", "problem-members", "404"),
        ("activity.description-missing", "activity-of-a-request", "description"),
        ("upload.nothing-is-422", "document-without-file-or-url", "HTTP 422"),
        ("token.lifetime-text", "scope-granted-is-scope-asked", "expires_in"),
        ("problem.plain-json", "problem-members", "content-type"),
    ] {
        let drifted = drifted(&judged(dir.path(), &["--defect", defect], &[step], "check"));
        assert!(!drifted.is_empty(), "{defect}");
        assert!(drifted.iter().all(|one| one.contains(said)), "{defect}: {drifted:#?}");
    }
}
