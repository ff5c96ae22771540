//! Permitted behaviour of a service: lists that lag, and addresses that it refuses for its own reasons. And one that is
//! not permitted: token endpoints that refuse the documented request.

use std::fs;
use std::path::Path;

use serde_json::Value;
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, Request, ResponseTemplate};

use crate::command_support::{read_json, run};
use crate::deployment::{self, judged};

/// The report of a run.
fn report(dir: &Path) -> Value {
    read_json(dir.join("report.json"))
}

fn checks<'r>(report: &'r Value, verdict: &str) -> Vec<&'r Value> {
    let all = report["checks"].as_array().expect("it has checks");
    all.iter().filter(|check| check["verdict"] == verdict).collect()
}

#[test]
fn a_list_is_read_again_until_it_shows_a_change() {
    let dir = tempfile::tempdir().expect("a folder");
    // The clock of the mock moves, so the test does not sleep. A run waits 5 seconds for a list.
    for (lag, code, verdict) in [(0, 0, "pass"), (4, 0, "pass"), (30, 1, "fail")] {
        fs::write(dir.path().join("lag.yaml"), format!("list_lag: {lag}\n")).expect("writable");
        let words = [
            &["run", "--answers", "lag.yaml", "--report", "json=report.json"][..],
            &["04_14_create_webhook/webhook-registered"],
        ];
        let ran = run(&words.concat(), dir.path());
        assert_eq!(ran.code, Some(code), "{lag}: {}{}", ran.stdout, ran.stderr);
        let report = report(dir.path());
        let is_listed = |check: &&&Value| check["requirement"] == "create-webhook.then-listed";
        assert!(checks(&report, verdict).iter().any(|check| is_listed(&check)), "{lag}");
        let seen = checks(&report, "observed");
        let is_lag = |check: &&&Value| check["question"] == "list_lag";
        assert_eq!(seen.iter().any(|check| is_lag(&check)), lag == 4, "{lag}: {seen:#?}");
    }
}

/// Its 404 is that of an unknown path (`other_errors`), and may have any body.
#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_is_not_at_the_assumed_path_is_not_run() {
    for (verb, at, scenario) in [
        ("GET", "^/api/v1/workflows/[^/]+/schema$", "04_04_get_workflow_schema/*"),
        ("POST", "^/api/v1/webhooks$", "04_14_create_webhook/webhook-registered"),
    ] {
        let server = deployment::start("default").await;
        Mock::given(method(verb))
            .and(path_regex(at))
            .respond_with(ResponseTemplate::new(404).set_body_raw("<html>", "text/html"))
            .with_priority(1)
            .mount(&server)
            .await;
        let dir = tempfile::tempdir().expect("a folder");
        deployment::target(
            dir.path(),
            &format!("{}/api", server.uri()),
            "consent: [write, delete]\n",
        );
        judged(dir.path(), &[scenario, "--report", "json=report.json"], 3);
        let report = report(dir.path());
        assert_eq!(checks(&report, "fail"), Vec::<&Value>::new(), "{scenario}");
        let unmet = checks(&report, "not_run");
        let is_unplaced = |check: &&Value| check.to_string().contains("does not say where");
        assert!(unmet.iter().any(is_unplaced), "{scenario}: {unmet:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_default_address_is_not_run_and_a_refused_bound_one_fails() {
    let server = deployment::start("default").await;
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .respond_with(ResponseTemplate::new(422).set_body_raw(
            serde_json::json!({
                "type": "webhook_creation_error", "status": 422, "title": "Webhook creation failed",
                "detail": "The host does not exist.", "instance": "/api/v1/webhooks",
                "request_id": "req-1",
            })
            .to_string(),
            "application/problem+json",
        ))
        .with_priority(1)
        .mount(&server)
        .await;
    let base = format!("{}/api", server.uri());
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["04_14_create_webhook/webhook-registered", "--report", "json=report.json"];
    deployment::target(dir.path(), &base, "consent: [write, delete]\n");
    judged(dir.path(), &words, 3);
    let text = report(dir.path()).to_string();
    assert!(text.contains("bindings.webhook_url in the target file"), "{text}");

    let file = dir.path().join("target.yaml");
    let bound = fs::read_to_string(&file)
        .expect("it was written")
        .replace("bindings:\n", "bindings:\n  webhook_url: https://hooks.northwind.example/moot\n");
    fs::write(&file, bound).expect("writable");
    judged(dir.path(), &words, 1);
}

/// A token endpoint that responds to the documented form with this status and error. With `takes_basic` it accepts
/// HTTP Basic.
async fn token_run(status: u16, error: &str, takes_basic: bool, code: i32) -> Value {
    let server = deployment::start("default").await;
    let is_refused =
        move |request: &Request| !(takes_basic && request.headers.contains_key("authorization"));
    let body = serde_json::json!({ "error": error, "error_description": "No." });
    Mock::given(method("POST"))
        .and(path("/api/oauth/token"))
        .and(is_refused)
        .respond_with(ResponseTemplate::new(status).set_body_json(body))
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    deployment::target(dir.path(), &format!("{}/api", server.uri()), "");
    let words = ["04_02_list_workflows", "--report", "json=report.json"];
    judged(dir.path(), &words, code);
    report(dir.path())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_endpoint_that_refuses_the_documented_form_is_a_finding() {
    for (status, error) in [(405, "no"), (415, "no"), (404, "no"), (400, "invalid_request")] {
        for takes_basic in [false, true] {
            let report = token_run(status, error, takes_basic, 1).await;
            let failed = checks(&report, "fail");
            let names: Vec<_> = failed.iter().map(|check| &check["requirement"]).collect();
            assert_eq!(names, ["token.form-encoded"], "{status} {takes_basic}");
            let passed = report["counts"]["pass"].as_u64().unwrap_or(0);
            assert_eq!(passed > 0, takes_basic, "{status}: the run goes on where it can");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_address_with_a_wrong_path_is_no_finding() {
    let server = deployment::start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    deployment::target(dir.path(), &format!("{}/elsewhere", server.uri()), "");
    judged(dir.path(), &["04_02_list_workflows", "--report", "json=report.json"], 4);
    assert!(checks(&report(dir.path()), "fail").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_credentials_are_no_finding() {
    let report = token_run(401, "invalid_client", false, 4).await;
    assert!(checks(&report, "fail").is_empty());
}
