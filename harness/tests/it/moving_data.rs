//! Other clients change data during a run on a deployment. Such a change is no violation. Violations with unchanged
//! data are still found.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, Request, Respond, ResponseTemplate};

use crate::command_support::run;
use crate::deployment::{self, judged, start, target};

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

const CREATION: &str = r#"scenarios:
  - id: created
    title: A webhook is created
    needs: [read, write]
    steps:
      - request: create_webhook
        token: write
        json: { name: a, url: <bindings.webhook_url>, auth_type: bearer, token: t, events: [execution_complete] }
        require: { status: 201 }
"#;

/// A list that grows by one with each of its first `growing` calls. The count of its first `wrong` responses to
/// requests that name a page is wrong by one. In its first `broken` such responses the page size is a text.
struct List {
    growing: u64,
    wrong: u64,
    broken: u64,
    calls: AtomicU64,
    pages: AtomicU64,
}

impl Respond for List {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let grown = self.calls.fetch_add(1, Ordering::SeqCst).min(self.growing);
        let names_page = request.url.query().is_some();
        let page = names_page.then(|| self.pages.fetch_add(1, Ordering::SeqCst));
        let is_wrong = page.is_some_and(|page| page < self.wrong);
        let size =
            if page.is_some_and(|page| page < self.broken) { json!("25") } else { json!(25) };
        let total: u64 = 10 + grown + u64::from(is_wrong);
        let pages = total.div_ceil(25);
        let pagination = json!({ "current_page": 1, "per_page": size, "total_pages": pages, "total_count": total });
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": [] }))
    }
}

fn list(growing: u64, wrong: u64) -> List {
    List { growing, wrong, broken: 0, calls: AtomicU64::new(0), pages: AtomicU64::new(0) }
}

async fn check(scenarios: &str, list: List, settle_seconds: u64, code: i32, said: &str) {
    let server = start("default").await;
    Mock::given(method("GET"))
        .and(path("/api/v1/requests"))
        .respond_with(list)
        .with_priority(1)
        .mount(&server)
        .await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("totals.yaml"), scenarios).expect("writable");
    let more = format!("  settle_seconds: {settle_seconds}\nconsent: [write]\n");
    target(dir.path(), &format!("{}/api", server.uri()), &more);
    let ran = judged(dir.path(), &["--scenarios", "totals.yaml", "--record", "kept"], code);
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    // The recording has the same passes.
    let ran = run(&["judge", "kept", "--scenarios", "totals.yaml"], dir.path()).ended(code);
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

const FOUND: &str = "pagination.totals-same-on-each-page";
const CONFORMANT: &str = "conformant: nothing failed";

#[tokio::test(flavor = "multi_thread")]
async fn violations_in_unchanged_data_fail() {
    check(TOTALS, list(0, u64::MAX), 1, 1, FOUND).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn differences_in_data_that_never_rest_are_not_run() {
    let said = "the data changed each time that they were judged";
    check(TOTALS, list(u64::MAX, u64::MAX), 0, 3, said).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_move_for_a_while_are_judged_when_they_rest() {
    // A pass takes two calls, and each of the two looks around it two: the data rest during the last pass.
    check(TOTALS, list(16, 0), 0, 0, CONFORMANT).await;
    check(TOTALS, list(16, u64::MAX), 0, 1, FOUND).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_response_is_not_forgiven_because_data_moved() {
    let said = "did not show in a further pass, data changed";
    check(TOTALS, List { broken: 1, ..list(16, 0) }, 0, 3, said).await;
    let always = List { broken: u64::MAX, ..list(16, 0) };
    check(TOTALS, always, 0, 1, "list-legal-requests.shape").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_while_lists_may_lag_behind_changes_of_the_run_is_tried_again() {
    let said = "did not show in a further pass, data changed";
    check(TOTALS, list(0, 1), 1, 3, said).await;
    let after_a_change = TOTALS.replace("scenarios:\n", CREATION);
    check(&after_a_change, list(0, 1), 1, 0, CONFORMANT).await;
    check(&after_a_change, list(0, u64::MAX), 1, 1, FOUND).await;
    // Nothing may lag here. The recording has no repeated first pass, and is judged at once.
    check(&after_a_change, list(0, u64::MAX), 0, 1, FOUND).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_that_writes_is_judged_when_the_data_rest() {
    let create = "    steps:\n      - request: create_webhook\n        token: write\n        json: { name: a, url: \
                  <bindings.webhook_url>, auth_type: bearer, token: t, events: [execution_complete] }\n        \
                  require: { status: 201 }\n";
    let writes = TOTALS.replace("[read]", "[read, write]").replace("    steps:\n", create);
    let said = "did not show in a further pass, data changed";
    // The data move during two passes with two calls each.
    check(&writes, list(4, 0), 0, 3, said).await;
    check(&writes, list(4, u64::MAX), 0, 1, FOUND).await;
}

const WHOLE_LIST: &str = r#"
section: "4.6"
title: A whole list
scenarios:
  - id: whole-list
    title: All members of a list
    needs: [read]
    confirm: true
    steps:
      - request: GET /v1/requests
        token: read
        each_page: { at_most: 40 }
        expect:
          list-legal-requests.filter-does-not-leak: { "$.items[*].type": { each: legal_request } }
"#;

/// A list with these members on its first page. It says that it has 30 on two pages, and has no second page.
fn overcounted(members: usize) -> impl Respond {
    move |request: &Request| {
        if request.url.query().is_some_and(|query| query.contains("page=2")) {
            return ResponseTemplate::new(404);
        }
        let pagination =
            json!({ "current_page": 1, "per_page": 25, "total_pages": 2, "total_count": 30 });
        let attributes = json!({ "name": "a", "description": null, "status": "draft" });
        let member = |number| json!({ "id": format!("a{number}"), "type": "legal_request", "attributes": attributes });
        let data: Vec<_> = (0..members).map(member).collect();
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": data }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_the_totals_announce_and_the_list_refuses_is_found() {
    for (members, found) in
        [(1, "pagination.total-count-agrees"), (25, "pagination.total-pages-agrees")]
    {
        let server = start("default").await;
        deployment::answered(&server, "/api/v1/requests", overcounted(members)).await;
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("whole.yaml"), WHOLE_LIST).expect("writable");
        target(dir.path(), &format!("{}/api", server.uri()), "");
        let ran = judged(dir.path(), &["--scenarios", "whole.yaml"], 1);
        assert!(ran.stdout.contains(found), "{}", ran.stdout);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_whose_pages_cannot_be_counted_is_not_read_as_a_whole() {
    let server = start("default").await;
    let body = json!({ "pagination": { "total_pages": "2" }, "data": [] });
    let list = move |_: &Request| ResponseTemplate::new(200).set_body_json(&body);
    deployment::answered(&server, "/api/v1/requests", list).await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("whole.yaml"), WHOLE_LIST).expect("writable");
    target(dir.path(), &format!("{}/api", server.uri()), "");
    let ran = judged(dir.path(), &["--scenarios", "whole.yaml"], 1);
    assert!(ran.stdout.contains("no integer `/pagination/total_pages`"), "{}", ran.stdout);
}

const REFUSED: &str = r#"
section: "4.5"
title: A refused creation
scenarios:
  - id: refused
    title: A refused creation changes nothing
    needs: [read, write]
    steps:
      - request: GET /v1/requests
        query: { moot: <run.tag> }
        token: read
      - request: POST /v1/requests
        token: write
        multipart: { set: { name: a } }
        unchanged: [GET /v1/requests]
        expect:
          create-legal-request.workflow-id-required: { status: 400 }
"#;

/// Two pages of requests of this run. Each call turns the order by `turn`. A refused creation leaves `left` requests.
#[derive(Clone, Default)]
struct Requests {
    turn: u64,
    left: u64,
    calls: Arc<AtomicU64>,
    creations: Arc<AtomicU64>,
    tag: Arc<OnceLock<String>>,
}

impl Respond for Requests {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        if request.method.as_str() == "POST" {
            self.creations.fetch_add(1, Ordering::SeqCst);
            let problem = json!({ "type": "parameter_missing", "status": 400, "title": "Bad Request",
                "detail": "workflow_id is missing", "instance": "/api/v1/requests", "request_id": "r" });
            return ResponseTemplate::new(400)
                .set_body_raw(problem.to_string(), "application/problem+json");
        }
        let asked = |name: &str| {
            let mut pairs = request.url.query_pairs();
            pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
        };
        let tag = self.tag.get_or_init(|| asked("moot").unwrap_or_default());
        let page: u64 = asked("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        let turned = self.turn * self.calls.fetch_add(1, Ordering::SeqCst);
        let total = 30 + self.left * self.creations.load(Ordering::SeqCst);
        let member = |place| {
            let id = format!("a{}", (place + turned) % total);
            let attributes =
                json!({ "name": format!("{id} {tag}"), "description": null, "status": "draft" });
            json!({ "id": id, "type": "legal_request", "attributes": attributes })
        };
        let data: Vec<_> = ((page - 1) * 25..total.min(page * 25)).map(member).collect();
        let pagination =
            json!({ "current_page": page, "per_page": 25, "total_pages": 2, "total_count": total });
        ResponseTemplate::new(200).set_body_json(json!({ "pagination": pagination, "data": data }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_is_not_blamed_for_an_unstable_order() {
    let blamed = "A call that was refused changed what";
    let doubt = format!("the list changed while its pages were read, twice: {blamed}");
    for (turn, left, code, said) in [(7, 0, 3, doubt.as_str()), (0, 1, 1, blamed)] {
        let server = start("default").await;
        let list = Requests { turn, left, ..Requests::default() };
        Mock::given(path("/api/v1/requests"))
            .respond_with(list)
            .with_priority(1)
            .mount(&server)
            .await;
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("refused.yaml"), REFUSED).expect("writable");
        target(dir.path(), &format!("{}/api", server.uri()), "consent: [write]\n");
        let args = ["--scenarios", "refused.yaml", "--record", "kept"];
        let ran = judged(dir.path(), &args, code);
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
        let ran = run(&["judge", "kept", "--scenarios", "refused.yaml"], dir.path()).ended(code);
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
}
