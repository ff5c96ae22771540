//! The suite on deployments that differ from the demo world: many objects, data that changes, other
//! endpoints.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use moot_fixtures::answers;
use serde_json::{Value, json};
use wiremock::{MockServer, Request, ResponseTemplate};

use crate::command_support::read_json;
use crate::deployment::{ALL_BUT_LOAD, answered, demo, deployed, edit, judged, start, start_as};

const WALKS: &str = r#"section: "2.7"
title: A sample
scenarios:
  - id: walks
    title: The pages are walked
    needs: [read]
    steps:
      - request: GET /v1/requests
        token: read
        each_page:
          at_most: 40
          expect: { pagination.current-page: { /pagination/current_page: <page.number> } }
        expect: { pagination.no-item-twice: { "$.items[*].id": { unique: true } } }
"#;

/// The requested pages in order. Page 1 is requested without a number.
async fn pages(server: &MockServer) -> Vec<u64> {
    let reached = server.received_requests().await.unwrap_or_default();
    let lists = reached.iter().filter(|request| request.url.path() == "/api/v1/requests");
    lists.map(page).collect()
}

fn page(request: &Request) -> u64 {
    let mut pairs = request.url.query_pairs();
    pairs.find(|(name, _)| name == "page").map_or(1, |(_, value)| value.parse().unwrap_or(0))
}

/// A list with this number of pages. Each call reports another count.
async fn listed(pages: u64, count: impl Fn(u64) -> u64 + Send + Sync + 'static) -> MockServer {
    let server = start("default").await;
    let calls = AtomicU64::new(0);
    let response = move |request: &Request| {
        let call = calls.fetch_add(1, Ordering::SeqCst);
        let number = page(request);
        let row = |row: u64| {
            let attributes = json!({ "name": "n", "description": null, "status": "draft" });
            json!({ "id": format!("r{number}x{row}"), "type": "legal_request", "attributes": attributes })
        };
        let pagination = json!({
            "current_page": number, "per_page": 25, "total_pages": pages, "total_count": count(call),
        });
        let data: Vec<Value> = (0..25).map(row).collect();
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": data }))
    };
    answered(&server, "/api/v1/requests", response).await;
    server
}

fn folder(server: &MockServer, more: &str) -> tempfile::TempDir {
    let dir = deployed(server, more);
    fs::write(dir.path().join("walks.yaml"), WALKS).expect("writable");
    edit(dir.path(), &[("limits:\n", "limits:\n  pages_max: 5\n")]);
    dir
}

const WALKED: [&str; 2] = ["--scenarios", "walks.yaml"];

#[tokio::test]
async fn at_most_pages_max_pages_are_walked_the_last_among_them() {
    let server = listed(200, |_| 5_000).await;
    let dir = folder(&server, "");
    let ran = judged(dir.path(), &[&WALKED[..], &["--report", "json=report.json"]].concat(), 0);
    assert_eq!(pages(&server).await, [1, 2, 3, 4, 200], "{}", ran.stdout);
    let report = read_json(dir.path().join("report.json"));
    let checks = report["checks"].as_array().expect("a list");
    let of_all = checks.iter().find(|it| it["requirement"] == "pagination.no-item-twice");
    let of_all = of_all.expect("it is in the report");
    assert_eq!(of_all["verdict"], "not_applicable", "what holds for all of it is not judged");
    insta::assert_snapshot!(of_all["message"].to_string(), @"\"the list has more pages than are read (5, the last among them; `limits.pages_max` in the target file)\"");
    for (total, walked) in [(5, vec![1, 2, 3, 4, 5]), (6, vec![1, 2, 3, 4, 6]), (1, vec![1])] {
        let server = listed(total, move |_| total * 25).await;
        judged(folder(&server, "").path(), &WALKED, 0);
        assert_eq!(pages(&server).await, walked);
    }
}

#[tokio::test]
async fn a_list_whose_total_changed_is_read_again_and_then_judged_by_valid_rules() {
    // An object is created while the first reading is on page 2.
    let server = listed(3, |call| if call < 1 { 74 } else { 75 }).await;
    judged(folder(&server, "").path(), &WALKED, 0);
    assert_eq!(pages(&server).await, [1, 2, 3, 1, 2, 3]);

    // Rules that hold for a changing list still pass.
    let server = listed(3, |call| 60 + call).await;
    judged(folder(&server, "").path(), &WALKED, 0);
    assert_eq!(pages(&server).await, [1, 2, 3, 1, 2, 3]);
}

#[tokio::test]
async fn a_total_that_is_another_one_on_the_same_page_twice_is_a_violation() {
    // The list ignores its filter from page 2 on, for example. Others do not change a list twice in the same way.
    let server = listed(3, |call| if call % 3 == 0 { 74 } else { 75 }).await;
    let dir = folder(&server, "");
    judged(dir.path(), &[&WALKED[..], &["--report", "json=report.json"]].concat(), 1);
    let report = read_json(dir.path().join("report.json"));
    let finding = &report["findings"][0];
    assert_eq!(finding["requirement"], "pagination.totals-same-on-each-page");
    assert_eq!(finding["pointer"], "/pagination/total_count");
    assert_eq!(pages(&server).await, [1, 2, 3, 1, 2, 3]);
}

#[tokio::test]
async fn a_company_with_thousands_of_requests_conforms() {
    let mut world = demo();
    for company in &mut world.companies {
        company.generated_legal_requests = 3_000;
    }
    let server = start_as(world, answers::default().clone()).await;
    let dir = folder(&server, ALL_BUT_LOAD);
    let words = ["section:4.6", "section:2.7", "section:4.5", "--report", "json=report.json"];
    judged(dir.path(), &words, 0);
    let report = read_json(dir.path().join("report.json"));
    assert!(report["counts"]["pass"].as_u64() > Some(200), "{}", report["counts"]);
}

#[tokio::test]
async fn endpoints_that_are_elsewhere_are_named_in_the_target_file() {
    let mut answers = answers::default().clone();
    answers.workflow_schema_endpoint.path = "/v1/forms/{id}".to_owned();
    answers.webhook_create_endpoint.method = "PUT".to_owned();
    answers.webhook_create_endpoint.path = "/v1/hooks".to_owned();
    let server = start_as(demo(), answers).await;
    let words = ["section:4.4", "section:4.14", "section:4.13"];
    let named = "endpoints: { workflow_schema: '/v1/forms/{id}', create_webhook: PUT /v1/hooks }\n";
    judged(folder(&server, &format!("{ALL_BUT_LOAD}{named}")).path(), &words, 0);
    let reached = Arc::new(server.received_requests().await.unwrap_or_default());
    let asked = |verb: &str, at: &str| {
        reached.iter().any(|it| it.method.as_str() == verb && it.url.path().starts_with(at))
    };
    assert!(asked("GET", "/api/v1/forms/") && asked("PUT", "/api/v1/hooks"));
    assert!(!asked("POST", "/api/v1/webhooks"), "only where it is");
    // Without these names they are not found. That is no violation: the specification leaves their paths open.
    let dir = folder(&server, ALL_BUT_LOAD);
    judged(dir.path(), &["section:4.4", "section:4.14", "--report", "json=report.json"], 3);
    let report = read_json(dir.path().join("report.json"));
    let checks = report["checks"].as_array().expect("a list");
    assert!(checks.iter().all(|check| check["verdict"] != "fail"), "{}", report["counts"]);
    let settings = report["not_run"].as_array().expect("a list").iter();
    let settings: BTreeSet<&str> = settings.filter_map(|row| row["setting"].as_str()).collect();
    let named = ["workflow_schema", "create_webhook"];
    let named = named.map(|key| format!("endpoints.{key} in the target file"));
    assert!(named.iter().all(|setting| settings.contains(setting.as_str())), "{settings:?}");
}
