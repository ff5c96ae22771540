//! `moot clean` deletes the objects that earlier runs left on a deployment, with the ledger beside the target file.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::command_support::run;
use crate::deployment::{base_url, start, target};

const SCENARIO: &str = r#"section: "4.14"
title: A sample
scenarios:
  - id: leaves-things
    title: Things are made and stay
    needs: [write]
    steps:
      - request: POST /v1/webhooks
        token: write
        json: { name: "moot-<run.tag>", url: "https://hooks.invalid/<run.tag>", auth_type: "bearer", token: "sample-token-Vr8Kq3Zt" }
        expect: { create-webhook.shape: { schema: true } }
      - request: POST /v1/repository_documents
        token: write
        multipart:
          parts: [{ name: file, file: agreement.pdf, filename: "moot-<run.tag>.pdf" }]
        expect: { create-repository-document.shape: { schema: true } }
"#;

/// The deployment of `target.yaml` in a folder of its own below `dir`, with these consents.
fn prepare(dir: &Path, base_url: &str, consent: &str) {
    let folder = dir.join("targets");
    fs::create_dir(&folder).expect("writable");
    target(&folder, base_url, consent);
    fs::write(dir.join("sample.yaml"), SCENARIO).expect("writable");
}

fn clean(dir: &Path, code: i32) -> Value {
    run(&["clean", "--target", "targets/target.yaml", "--format", "json"], dir).ended(code).json()
}

fn kinds(report: &Value, list: &str) -> Vec<String> {
    let rows = report[list].as_array().expect("a list").iter();
    rows.map(|row| row["kind"].as_str().expect("a kind").to_owned()).collect()
}

const RUN: [&str; 5] = ["run", "--scenarios", "sample.yaml", "--target", "targets/target.yaml"];

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_are_deleted_and_the_others_are_listed() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    prepare(dir.path(), &base_url(&server), "consent: [write]\n");
    assert!(clean(dir.path(), 0)["deleted"].as_array().is_some_and(Vec::is_empty));
    run(&RUN, dir.path()).ended(0);

    // The ledger is beside the target file, in a folder that Git ignores.
    let moot = dir.path().join("targets/.moot");
    assert!(moot.join("ledger.ndjson").is_file());
    assert_eq!(fs::read_to_string(moot.join(".gitignore")).ok().as_deref(), Some("*\n"));
    assert!(!dir.path().join(".moot").exists());

    let text = run(&["clean", "--target", "targets/no-such.yaml"], dir.path());
    assert_eq!(text.code, Some(2), "{}", text.stderr);
    let report = clean(dir.path(), 0);
    assert_eq!(kinds(&report, "deleted"), ["webhook"]);
    assert_eq!(kinds(&report, "left"), ["repository_document"]);
    assert!(report["left"][0]["advice"].as_str().is_some_and(|text| !text.is_empty()));
    // The ledger records the deletion.
    let again = clean(dir.path(), 0);
    assert_eq!(kinds(&again, "deleted"), Vec::<String>::new());
    assert_eq!(kinds(&again, "left"), ["repository_document"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_consent_to_write_leaves_no_folder() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    prepare(dir.path(), &base_url(&server), "consent: []\n");
    run(&RUN, dir.path()).ended(3);
    assert!(!dir.path().join("targets/.moot").exists() && !dir.path().join(".moot").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_deletion_stays_and_ends_with_3() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    prepare(dir.path(), &base_url(&server), "consent: [write]\n");
    run(&RUN, dir.path()).ended(0);
    wiremock::Mock::given(wiremock::matchers::method("DELETE"))
        .respond_with(wiremock::ResponseTemplate::new(500))
        .with_priority(1)
        .mount(&server)
        .await;
    let report = clean(dir.path(), 3);
    assert_eq!(kinds(&report, "deleted"), Vec::<String>::new());
    let mut left = kinds(&report, "left");
    left.sort();
    assert_eq!(left, ["repository_document", "webhook"]);
}
