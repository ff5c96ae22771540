//! Each deadline of a run works, and the result names it. Most deadlines are injected. Only the test of `moot doctor`
//! waits for a real one.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use moot_harness::client::target_file;
use moot_harness::exchange::masks::Masks;
use moot_harness::run::environment::{TargetChoice, TargetOptions};
use moot_harness::run::{Interruption, RunOptions, run_until};
use moot_harness::scenario::load;
use serde_json::json;
use wiremock::matchers::{body_string_contains, path};
use wiremock::{Mock, ResponseTemplate};

use crate::command_support::{message, run};
use crate::deployment::{answered, start, target};
use crate::target_sample::{open_with, service};

/// A delay that is longer than any test.
const NEVER: Duration = Duration::from_secs(60);

#[tokio::test]
async fn discovery_ends_at_its_deadline_with_a_partial_result() {
    let server = service().await;
    let row = |id: &str| json!({ "id": id, "attributes": { "status": "published" } });
    let list = json!({ "data": [row("g1"), row("t1")], "pagination": { "total_pages": 1 } });
    answered(&server, "/api/v1/workflows", ResponseTemplate::new(200).set_body_json(list)).await;
    let form = json!({ "name": "g1", "required_fields": ["counterparty_name"] });
    let form = ResponseTemplate::new(200).set_body_json(form);
    answered(&server, "/api/v1/workflows/g1/schema", form.clone()).await;
    answered(&server, "/api/v1/workflows/t1/schema", form.set_delay(NEVER)).await;

    let options = TargetOptions {
        discovery_timeout: Some(Duration::from_millis(1_500)),
        ..TargetOptions::default()
    };
    let (folder, masks) = (tempfile::tempdir().expect("a folder"), Arc::<Masks>::default());
    let (base, begun) = (format!("{}/api", server.uri()), Instant::now());
    let opened = open_with(&base, "", folder.path(), &masks, options).await.expect("it opens");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(opened.missing("workflow_generated").is_none(), "what was found in time is known");
    let missing = opened.missing("workflow_third_party").expect("it was not found");
    insta::assert_snapshot!(missing.reason, @"no published workflow was found that takes an uploaded document: the search took longer than 1.5 s (timeout `discovery`)");
}

const SLOW_TO_END: &str = r#"section: "4.9"
title: A sample
scenarios:
  - id: never-ends
    title: What always runs gets no response
    needs: [write]
    steps:
      - request: POST /v1/repository_documents
        token: write
        multipart:
          parts: [{ name: file, file: agreement.pdf }]
        expect: { create-repository-document.shape: { schema: true } }
        finally:
          - request: GET /v1/webhooks
            token: read
            expect: { list-webhooks.status-200: { status: 200 } }
"#;

fn options(dir: &Path) -> RunOptions {
    let file = target_file::read(&dir.join("target.yaml")).expect("it is sound");
    let choice = TargetChoice::Http(Arc::new(file));
    let target = TargetOptions { run_tag: "t1".to_owned(), ..TargetOptions::default() };
    let files = load::paths(&[dir.join("sample.yaml")]).expect("it is sound");
    RunOptions::new(choice, target, files)
}

#[tokio::test]
async fn an_interrupted_run_waits_no_longer_than_its_grace() {
    let server = start("default").await;
    answered(&server, "/api/v1/webhooks", ResponseTemplate::new(200).set_delay(NEVER)).await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("sample.yaml"), SLOW_TO_END).expect("writable");
    let text = "consent: [write]\nledger: ledger.ndjson\n";
    target(dir.path(), &format!("{}/api", server.uri()), text);
    let path = dir.path().join("target.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    let text = text.replace("silence_seconds: 2", "silence_seconds: 60");
    fs::write(&path, text.replace("exchange_seconds: 4", "exchange_seconds: 60"))
        .expect("writable");

    let interruption = Arc::new(Interruption::with_grace(Duration::from_millis(300)));
    let run = run_until(options(dir.path()), Arc::clone(&interruption), |_| {});
    let run = tokio::spawn(run);
    let deadline = Instant::now() + Duration::from_secs(30);
    let reached = || async { server.received_requests().await.unwrap_or_default() };
    while !reached().await.iter().any(|request| request.url.path() == "/api/v1/webhooks") {
        assert!(Instant::now() < deadline, "the run never came to the slow call");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let told_at = Instant::now();
    interruption.interrupt();
    let result = run.await.expect("it ends");
    assert!(told_at.elapsed() < Duration::from_secs(20), "{:?}", told_at.elapsed());
    assert_eq!(result.exit_code(), 3, "{:?}", result.trouble);
    let not_run = result.scenarios[0].not_run.as_ref().expect("it did not end");
    insta::assert_snapshot!(not_run.reason, @"the run was interrupted, and this did not end in time");
    assert_eq!(result.residue.len(), 1, "what was made is told");
}

#[tokio::test]
async fn a_doctor_takes_ten_seconds_at_most() {
    let server = start("default").await;
    Mock::given(path("/api/oauth/token"))
        .and(body_string_contains("demo-reader"))
        .respond_with(ResponseTemplate::new(200).set_delay(NEVER))
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "");
    let path = dir.path().join("target.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(
        &path,
        text.replace("_seconds: 2", "_seconds: 60").replace("_seconds: 4", "_seconds: 60"),
    )
    .expect("writable");
    let begun = Instant::now();
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
    assert!((9..20).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    insta::assert_snapshot!(message(&ran.stderr), @"error: the target could not be opened within 10 s (timeout `doctor`)");
}
