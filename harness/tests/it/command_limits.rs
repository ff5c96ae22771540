//! A deployment with a rate limit. A run waits for `Retry-After` within limits, and reports no violation because of it.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use wiremock::matchers::{body_string_contains, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::command_support::{message, read_json, run};
use crate::deployment::{ALL_BUT_LOAD, answered, deployed, edit, judged, start};

const LISTS: &str = r#"section: "4.6"
title: A sample
scenarios:
  - id: requests
    title: Requests are listed
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        expect: { list-legal-requests.status-200: { status: 200 } }
  - id: webhooks
    title: Webhooks are listed
    needs: [read]
    steps:
      - request: GET /v1/webhooks
        token: read
        expect: { list-webhooks.status-200: { status: 200 } }
"#;

/// The operator of the target file does nothing, so the token is still valid.
const REVOKED: &str = r#"section: "5.3"
title: A revoked token
requirements:
  - { id: acme.answers, level: stated, sentence: The service answers., source: Acme }
scenarios:
  - id: revoked
    title: A token that the operator revoked is sent
    needs: [read, revoked_token]
    steps:
      - request: GET /v1/requests
        token: revoked
        expect: { acme.answers: { status: 200 } }
"#;

const UPLOADS: &str = r#"section: "4.9"
title: Uploads without a file
scenarios:
  - id: first
    title: An upload without a file is refused
    needs: [read, write]
    steps: &steps
      - request: POST /v1/repository_documents
        token: write
        multipart: { parts: [{ name: metadata, text: "{}" }] }
        control: { multipart: { parts: [{ name: file, file: agreement.pdf, filename: "<run.tag>.pdf" }] } }
        expect: { create-repository-document.file-or-url-required: { status: 400 } }
  - id: second
    title: And another one
    needs: [read, write]
    steps: *steps
  - id: third
    title: And a third one
    needs: [read, write]
    steps: *steps
"#;

fn report(dir: &Path) -> Value {
    read_json(dir.join("report.json"))
}

fn folder(server: &MockServer, more: &str) -> tempfile::TempDir {
    let dir = deployed(server, more);
    fs::write(dir.path().join("lists.yaml"), LISTS).expect("writable");
    dir
}

fn refusal(retry_after: &str) -> ResponseTemplate {
    ResponseTemplate::new(429).insert_header("retry-after", retry_after)
}

const LISTED: [&str; 4] = ["--scenarios", "lists.yaml", "--report", "json=report.json"];

/// About one call in eleven, drawn from a fixed seed. The first calls open the target, and are never chosen. Without
/// `tokens`, token requests are not chosen either.
fn by_chance(tokens: bool) -> impl Fn(&Request) -> bool {
    let (calls, state) = (AtomicU64::new(0), AtomicU64::new(7));
    move |request: &Request| {
        let drawn = state
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| {
                Some(
                    state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963),
                )
            })
            .unwrap_or_default();
        let may_be_chosen = tokens || request.url.path() != "/api/oauth/token";
        calls.fetch_add(1, Ordering::SeqCst) > 20 && (drawn >> 33) % 11 == 0 && may_be_chosen
    }
}

#[tokio::test]
async fn a_429_by_chance_is_never_a_violation_wherever_it_comes() {
    // After a 429 of the token endpoint without `Retry-After`, a run waits a minute.
    for (refusal, tokens, says) in [
        (ResponseTemplate::new(429), false, "without `Retry-After`"),
        (refusal("0"), true, "with `Retry-After: 0`"),
    ] {
        let server = start("default").await;
        Mock::given(by_chance(tokens)).respond_with(refusal).with_priority(1).mount(&server).await;
        let dir = folder(&server, ALL_BUT_LOAD);
        let ran = judged(dir.path(), &["--report", "json=report.json"], 3);
        let report = report(dir.path());
        assert_eq!(report["counts"]["fail"], 0, "{}", ran.stdout);
        assert!(report["counts"]["pass"].as_u64() > Some(500), "{}", report["counts"]);
        let why = format!(
            "the target's rate limit returned 429 {says}. A request is repeated once, and only if `Retry-After` is at \
             most 120 s; a lower --rate avoids the limit"
        );
        let rows = report["not_run"].as_array().expect("a list");
        assert!(rows.iter().any(|row| row["reason"] == why), "{}", ran.stdout);
    }
}

#[tokio::test]
async fn a_target_that_asks_for_more_than_two_minutes_gets_no_further_request() {
    let server = start("default").await;
    Mock::given(path("/api/v1/requests"))
        .respond_with(refusal("3600"))
        .with_priority(1)
        .expect(1)
        .mount(&server)
        .await;
    let dir = folder(&server, "");
    let begun = Instant::now();
    judged(dir.path(), &LISTED, 3);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    let report = report(dir.path());
    let rows = report["not_run"].as_array().expect("a list").iter();
    let reasons: Vec<&str> = rows.filter_map(|row| row["reason"].as_str()).collect();
    insta::assert_snapshot!(reasons.join("\n"), @r"
    the target's rate limit returned 429 with `Retry-After: 3600`. A request is repeated once, and only if `Retry-After` is at most 120 s; a lower --rate avoids the limit
    not sent: the target asked for a back-off of 3600 s (`Retry-After`), and a run waits at most 120 s
    ");
    let reached = server.received_requests().await.unwrap_or_default();
    let last = reached.last().map(|request| request.url.path().to_owned());
    assert_eq!(last.as_deref(), Some("/api/v1/requests"), "nothing is sent after it");
}

#[tokio::test]
async fn a_token_endpoint_at_its_limit_gets_a_second_request_after_the_back_off() {
    let server = start("default").await;
    Mock::given(path("/api/oauth/token"))
        .respond_with(refusal("1"))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = folder(&server, "");
    let begun = Instant::now();
    judged(dir.path(), &LISTED, 0);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());

    let server = start("default").await;
    Mock::given(path("/api/oauth/token"))
        .respond_with(refusal("1"))
        .with_priority(1)
        .expect(2)
        .mount(&server)
        .await;
    let dir = folder(&server, "");
    judged(dir.path(), &LISTED, 4);
    let report = report(dir.path());
    let trouble = report["trouble"].as_str().expect("a text");
    insta::assert_snapshot!(message(trouble), @"127.0.0.1:PORT gives no token now: the limit of its token endpoint returned 429; wait, and set `limits.token_requests_per_minute` to its limit");
}

#[tokio::test]
async fn a_token_to_be_revoked_is_asked_for_again_after_the_back_off() {
    let server = start("default").await;
    Mock::given(path("/api/oauth/token"))
        .and(body_string_contains("scope=read+write"))
        .respond_with(refusal("1"))
        .up_to_n_times(1)
        .with_priority(1)
        .expect(1)
        .mount(&server)
        .await;
    let operator =
        "consent: [operate]\noperator: { command: [sh, -c, exit 0], actions: [revoke_token] }\n";
    let dir = folder(&server, operator);
    fs::write(dir.path().join("revoked.yaml"), REVOKED).expect("writable");
    judged(dir.path(), &["--scenarios", "revoked.yaml"], 0);
}

#[tokio::test]
async fn a_503_with_retry_after_counts_as_the_rate_limit_but_a_500_does_not() {
    for (response, code) in [
        (ResponseTemplate::new(503).insert_header("retry-after", "0"), 3),
        (ResponseTemplate::new(500), 1),
    ] {
        let server = start("default").await;
        answered(&server, "/api/v1/requests", response).await;
        judged(folder(&server, "").path(), &LISTED, code);
    }
}

/// With the default limits of a target file.
#[tokio::test]
async fn a_doctor_has_time_for_every_application_at_the_default_pace() {
    let server = start("default").await;
    let dir = folder(&server, "");
    let limits = ["  requests_per_minute: 0\n", "  token_requests_per_minute: 0\n"];
    edit(dir.path(), &limits.map(|limit| (limit, "")));
    run(&["doctor", "--target", "target.yaml"], dir.path()).ended(0);
}

/// The control of all three scenarios is the same call, and is sent once. The limit refuses it only by chance.
#[tokio::test(flavor = "multi_thread")]
async fn a_control_that_was_not_judged_is_sent_again() {
    let limited = ResponseTemplate::new(429);
    assert_eq!(uploads(limited, 1, 3).await, ["not_run", "pass", "pass"]);
}

/// Each call whose response is lost may have stored a document, so it is sent once more at most.
#[tokio::test(flavor = "multi_thread")]
async fn a_control_whose_response_was_lost_is_sent_once_more() {
    let late = ResponseTemplate::new(201).set_delay(Duration::from_secs(5));
    assert_eq!(uploads(late.clone(), 1, 4).await, ["not_run", "pass", "pass"]);
    assert_eq!(uploads(late, 2, 4).await, ["not_run", "not_run", "not_run"]);
}

/// The verdicts of three scenarios with one control, in a run with this exit code. The first `times` calls have this
/// response.
async fn uploads(response: ResponseTemplate, times: u64, code: i32) -> Vec<String> {
    let server = start("default").await;
    Mock::given(path("/api/v1/repository_documents"))
        .respond_with(response)
        .up_to_n_times(times)
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = folder(&server, "consent: [write]\n");
    fs::write(dir.path().join("uploads.yaml"), UPLOADS).expect("writable");
    judged(dir.path(), &["--scenarios", "uploads.yaml", "--report", "json=report.json"], code);
    let report = report(dir.path());
    let of_uploads =
        |check: &&Value| check["requirement"] == "create-repository-document.file-or-url-required";
    let checks = report["checks"].as_array().expect("a list").iter().filter(of_uploads);
    checks.map(|check| check["verdict"].as_str().expect("a text").to_owned()).collect()
}
