//! Other clients change data during a run on a deployment. Such a change is no violation. Violations with unchanged
//! data are still found.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, Request, Respond, ResponseTemplate};

use crate::deployment::{judged, start, target};

const TOTALS: &str = r#"
section: "2.7"
title: Totals
scenarios:
  - id: totals-twice
    title: A total is the same, asked for in two ways
    needs: [read]
    confirm: true
    steps:
      - request: GET /v1/requests
        token: read
        require: { status: 200 }
        capture: { total: /pagination/total_count }
      - request: GET /v1/requests?page=1
        token: read
        expect:
          pagination.totals-same-on-each-page: { /pagination/total_count: <total> }
"#;

/// A list that grows by `step` per call. Its count is wrong by one if the request names a page.
struct List {
    step: u64,
    calls: AtomicU64,
}

impl Respond for List {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let grown = self.step * self.calls.fetch_add(1, Ordering::SeqCst);
        let total = 40 + grown + u64::from(request.url.query().is_some());
        let pagination =
            json!({ "current_page": 1, "per_page": 25, "total_pages": 1, "total_count": total });
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": [] }))
    }
}

async fn check(step: u64, code: i32, said: &str) {
    let server = start("default").await;
    Mock::given(method("GET"))
        .and(path("/api/v1/requests"))
        .respond_with(List { step, calls: AtomicU64::new(0) })
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("totals.yaml"), TOTALS).expect("writable");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: []\n");
    let ran = judged(dir.path(), &["--scenarios", "totals.yaml"], code);
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn violations_in_unchanged_data_fail() {
    check(0, 1, "pagination.totals-same-on-each-page").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn differences_in_data_that_others_change_are_not_run() {
    check(1, 3, "others changed the data while it was judged, twice").await;
}
