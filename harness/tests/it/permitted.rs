//! Permitted behaviour of a service: lists that lag, and addresses that it refuses for its own reasons. And one that is
//! not permitted: token endpoints that refuse the documented request.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use wiremock::matchers::{header, method, path, path_regex};
use wiremock::{Mock, Request, Respond, ResponseTemplate};

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
            &["--record", &format!("kept{lag}"), "04_14_create_webhook/webhook-registered"],
        ];
        let ran = run(&words.concat(), dir.path());
        assert_eq!(ran.code, Some(code), "{lag}: {}{}", ran.stdout, ran.stderr);
        let report = report(dir.path());
        let is_listed = |check: &&&Value| check["requirement"] == "create-webhook.then-listed";
        assert!(checks(&report, verdict).iter().any(|check| is_listed(&check)), "{lag}");
        let seen = checks(&report, "observed");
        let is_lag = |check: &&&Value| check["question"] == "list_lag";
        assert_eq!(seen.iter().any(|check| is_lag(&check)), lag == 4, "{lag}: {seen:#?}");
        let lags = |report: &Value| -> Vec<Value> {
            let seen = checks(report, "observed").into_iter();
            seen.filter(|check| is_lag(&check)).map(|check| check["actual"].clone()).collect()
        };
        let words = ["judge", &format!("kept{lag}"), "--report", "json=judge.json"];
        run(&words, dir.path()).ended(code);
        assert_eq!(lags(&report), lags(&read_json(dir.path().join("judge.json"))), "{lag}");
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
async fn an_endpoint_of_the_target_file_must_be_there_even_if_it_is_the_assumed_one() {
    let server = deployment::start("default").await;
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .respond_with(ResponseTemplate::new(404).set_body_raw("<html>", "text/html"))
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    let keys = "consent: [write, delete]\nendpoints: { create_webhook: POST /v1/webhooks }\n";
    deployment::target(dir.path(), &format!("{}/api", server.uri()), keys);
    let words = ["04_14_create_webhook/webhook-registered", "--report", "json=report.json"];
    judged(dir.path(), &[&words[..], &["--record", "recording"]].concat(), 1);
    assert_ne!(checks(&report(dir.path()), "fail"), Vec::<&Value>::new());
    let judged_again = run(&["judge", "recording"], dir.path());
    assert_eq!(judged_again.code, Some(1), "{}", judged_again.stdout);
}

const BURST: &str = r#"section: "8"
title: A sample
scenarios:
  - id: burst-after-a-newer-token
    title: A burst whose token a newer one has ended
    needs: [read, load]
    steps:
      - { request: GET /v1/workflows, token: read, require: { status: 200 } }
      - request: POST /oauth/token
        form:
          grant_type: client_credentials
          client_id: <target.main.client_id>
          client_secret: <target.main.client_secret>
          scope: write
        require: { status: 200 }
      - burst: { request: GET /v1/workflows, calls: 20, in_flight: 4 }
        token: read
        expect: { limits.600-are-served: { /served: 20 } }
"#;

/// The documented answer to `token_revocation`.
#[tokio::test(flavor = "multi_thread")]
async fn a_burst_does_not_use_a_token_that_a_newer_one_has_ended() {
    let server = deployment::start("documented").await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("burst.yaml"), BURST).expect("writable");
    deployment::target(dir.path(), &format!("{}/api", server.uri()), "consent: [load]\n");
    let words = ["--scenarios", "burst.yaml", "--record", "recording"];
    judged(dir.path(), &words, 0);
    let judged_again = run(&["judge", "recording", "--scenarios", "burst.yaml"], dir.path());
    assert_eq!(judged_again.code, Some(0), "{}{}", judged_again.stdout, judged_again.stderr);
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
    judged(dir.path(), &[&words[..], &["--record", "recording"]].concat(), 3);
    let text = report(dir.path()).to_string();
    assert!(text.contains("bindings.webhook_url in the target file"), "{text}");
    assert!(text.contains("The host does not exist."), "it shows what the service said: {text}");
    let judged_again = run(&["judge", "recording"], dir.path());
    assert_eq!(judged_again.code, Some(3), "{}", judged_again.stdout);

    let file = dir.path().join("target.yaml");
    let bound = fs::read_to_string(&file)
        .expect("it was written")
        .replace("bindings:\n", "bindings:\n  webhook_url: https://hooks.northwind.example/moot\n");
    fs::write(&file, bound).expect("writable");
    judged(dir.path(), &words, 1);
}

/// It accepted the default address before, so that is not the reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_after_an_accepted_default_address_fails() {
    let server = deployment::start("default").await;
    let calls = AtomicU64::new(0);
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .and(move |_: &Request| calls.fetch_add(1, Ordering::SeqCst) > 0)
        .respond_with(ResponseTemplate::new(422))
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    let base = format!("{}/api", server.uri());
    deployment::target(dir.path(), &base, "consent: [write, delete]\n");
    judged(dir.path(), &["04_14_create_webhook", "--record", "recording"], 1);
    let judged_again = run(&["judge", "recording"], dir.path());
    assert_eq!(judged_again.code, Some(1), "{}", judged_again.stdout);
}

/// Some webhooks, with totals as numbers with a fraction of zero.
struct FloatTotals {
    webhooks: usize,
    total_pages: f64,
    total_count: f64,
}

impl Respond for FloatTotals {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let asked = request.url.query_pairs().find(|(name, _)| name == "page");
        let page: usize = asked.map_or(1, |(_, page)| page.parse().expect("a page"));
        let all: Vec<Value> = (0..self.webhooks)
            .map(|number| {
                let attributes = json!({
                    "name": "A hook", "url": "https://hooks.example.com/", "auth_type": "none",
                    "events": ["execution_complete"],
                });
                json!({ "id": format!("hook{number}"), "type": "webhook", "attributes": attributes })
            })
            .collect();
        let data: Vec<&Value> = all.iter().skip((page - 1) * 25).take(25).collect();
        let pagination = json!({
            "current_page": page, "per_page": 25.0,
            "total_pages": self.total_pages, "total_count": self.total_count,
        });
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": data }))
    }
}

const PAGES: &str = r#"
section: "4.12"
title: Pages
scenarios:
  - id: pages
    title: All pages
    needs: [read]
    steps:
      - request: GET /v1/webhooks
        token: read
        each_page: { at_most: 9 }
        expect:
          list-webhooks.items-are-webhooks: { "$.items[*].type": { each: webhook } }
"#;

/// The requirements that fail in this scenario for this list.
async fn failed_pages(list: FloatTotals, words: &[&str], code: i32) -> Vec<String> {
    let server = deployment::start("default").await;
    deployment::answered(&server, "/api/v1/webhooks", list).await;
    let dir = tempfile::tempdir().expect("a folder");
    deployment::target(dir.path(), &format!("{}/api", server.uri()), "");
    fs::write(dir.path().join("pages.yaml"), PAGES).expect("writable");
    judged(dir.path(), &[words, &["--report", "json=report.json"]].concat(), code);
    let report = report(dir.path());
    let failed = checks(&report, "fail");
    failed.iter().map(|check| check["requirement"].as_str().unwrap_or("").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_total_may_have_a_fraction_of_zero() {
    let list = FloatTotals { webhooks: 30, total_pages: 2.0, total_count: 30.0 };
    let failed = failed_pages(list, &["02_07_pagination/pagination-partition"], 0).await;
    assert_eq!(failed, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_total_that_is_too_large_is_named_as_the_fault() {
    let list = FloatTotals { webhooks: 30, total_pages: 4.0, total_count: 85.0 };
    let failed = failed_pages(list, &["--scenarios", "pages.yaml"], 1).await;
    assert_eq!(failed, ["pagination.total-count-agrees"]);
}

/// A server in front of the service may refuse another media type or method by a page of its own (`other_errors`).
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_media_type_at_the_token_endpoint_may_get_any_body() {
    let server = deployment::start("default").await;
    Mock::given(method("POST"))
        .and(path("/api/oauth/token"))
        .and(header("content-type", "application/json"))
        .respond_with(ResponseTemplate::new(415).set_body_raw("<html>", "text/html"))
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    deployment::target(dir.path(), &format!("{}/api", server.uri()), "");
    judged(dir.path(), &["07_errors/token-call-in-json"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn scenarios_that_are_left_out_are_tolerated_by_a_pattern() {
    let server = deployment::start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    let words = ["04_03_get_workflow", "09_versioning", "--exclude", "09_versioning"];
    for (tolerate, code) in [("tolerate: [09_versioning/*]\n", 0), ("", 3)] {
        deployment::target(dir.path(), &format!("{}/api", server.uri()), tolerate);
        judged(dir.path(), &words, code);
    }
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

const FOUND_BY_FILTER: &str = r#"
section: "4.6"
title: A filter
scenarios:
  - id: found-by-filter
    title: The filter finds a request by its status
    needs: [read]
    steps:
      - request: GET /v1/requests/moving1
        token: read
        require: { status: 200 }
        capture: { former: /data/attributes/status }
      - request: GET /v1/requests
        query: { status: <former> }
        token: read
        expect:
          list-legal-requests.filter-does-not-miss: { "$.data[*].id": { contains: moving1 } }
        premise:
          request: GET /v1/requests/moving1
          holds: { /data/attributes/status: <former> }
"#;

/// A service may move a request to another status by itself, between two calls (§3).
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_moved_by_itself_need_not_be_in_the_list_of_its_earlier_status() {
    for (second, code, verdict) in [("initial_review", 0, "not_applicable"), ("draft", 1, "fail")] {
        let server = deployment::start("default").await;
        let pagination =
            json!({ "current_page": 1, "per_page": 25, "total_pages": 0, "total_count": 0 });
        let list = ResponseTemplate::new(200)
            .set_body_json(json!({ "pagination": pagination, "data": [] }));
        deployment::answered(&server, "/api/v1/requests", list).await;
        let reads = AtomicU64::new(0);
        let moving = move |_: &Request| {
            let is_first = reads.fetch_add(1, Ordering::SeqCst) == 0;
            let status = if is_first { "draft" } else { second };
            let attributes = json!({ "name": "a", "description": null, "status": status });
            let data =
                json!({ "id": "moving1", "type": "legal_request", "attributes": attributes });
            ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
        };
        deployment::answered(&server, "/api/v1/requests/moving1", moving).await;
        let dir = tempfile::tempdir().expect("a folder");
        deployment::target(dir.path(), &format!("{}/api", server.uri()), "");
        fs::write(dir.path().join("filter.yaml"), FOUND_BY_FILTER).expect("writable");
        let words = ["--scenarios", "filter.yaml", "--report", "json=report.json"];
        judged(dir.path(), &[&words[..], &["--record", "recording"]].concat(), code);
        let requirement = "list-legal-requests.filter-does-not-miss";
        let report = report(dir.path());
        let found = checks(&report, verdict);
        assert!(found.iter().any(|check| check["requirement"] == requirement), "{second}");
        let judged_again = run(&["judge", "recording", "--scenarios", "filter.yaml"], dir.path());
        assert_eq!(judged_again.code, Some(code), "{}", judged_again.stdout);
    }
}
