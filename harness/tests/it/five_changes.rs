//! A deployment is recorded; then five things change in it, and each is told once, in its class.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use moot_fixtures::{answers, world};
use moot_mock::defect;
use moot_mock::settings::RateLimitMode;
use moot_mock::shell::{Site, SiteOptions};
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate};

use crate::command_support::run;
use crate::deployment::{ALL_BUT_LOAD, target};

/// One scenario for each thing that changes.
pub(crate) const SCENARIOS: &str = r#"
section: "4"
title: A deployment of which five things are known
scenarios:
  - id: a-request
    title: A request is there
    needs: [read]
    steps:
      - request: GET /v1/requests
        query: { status: expired }
        token: read
        require: { status: 200 }
        capture: { some: "$.data[?@.attributes.name == 'Office lease — Sample Counterparty 060 Ltd'].id" }
      - request: GET /v1/requests/<some.0>
        token: read
        snapshot: true
        expect:
          get-legal-request.status-200: { status: 200 }
  - id: workflows
    title: Workflows are listed
    needs: [read]
    steps:
      - request: GET /v1/workflows
        query: { status: unpublished }
        token: read
        snapshot: true
        expect:
          list-workflows.status-200: { status: 200 }
  - id: a-log
    title: The log of a request has an order
    needs: [read]
    steps:
      - request: GET /v1/requests
        query: { status: signed }
        token: read
        require: { status: 200 }
        capture: { some: "$.data[*].id" }
      - request: GET /v1/requests/<some.0>/activity
        token: read
        snapshot: true
        expect:
          get-legal-request-activity.status-200: { status: 200 }
        observe: { list_order: "$.data[*].attributes.created_at" }
  - id: another-company
    title: What belongs to another company is not there
    needs: [read, second_company]
    steps:
      - request: GET /v1/workflows
        token: read
        require: { status: 200 }
        capture: { ours: "$.data[*].id" }
      - request: GET /v1/workflows/<ours.0>
        as: other_company
        token: read
        control: { as: main, require: { status: 200 } }
        expect:
          isolation.get-workflow: { status: [403, 404] }
        observe: { other_company: status }
  - id: an-upload-of-nothing
    title: An upload without a document is refused
    needs: [write]
    steps:
      - request: POST /v1/repository_documents
        token: write
        multipart: { parts: [{ name: metadata, text: "{}" }] }
        expect:
          create-repository-document.file-or-url-required: { status: 400 }
"#;

/// What is another way than when it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A resource of another company is refused, not unknown.
    Answer,
    /// The oldest comes first.
    Order,
    /// A request has one more member.
    Field,
    /// A list of workflows may be kept by a cache.
    Header,
    /// An upload without a document is refused by another status.
    Defect,
}

const ALLOWED: [Change; 4] = [Change::Answer, Change::Order, Change::Field, Change::Header];

/// The mock in which these changes were made, behind a server.
struct Changed {
    site: Site,
    changes: Vec<Change>,
}

impl Respond for Changed {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        // wiremock's own runtime stands still meanwhile.
        let (head, mut body) = std::thread::scope(|scope| {
            let answer = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("it starts").block_on(self.answer(request))
            });
            answer.join().expect("it answers")
        });
        let mut template = ResponseTemplate::new(head.status.as_u16());
        let path = request.url.path();
        let is_unpublished = request.url.query() == Some("status=unpublished");
        let is_request = request.method == "GET" && path.contains("/v1/requests/");
        for (name, value) in &head.headers {
            let is_changed = is_unpublished && name == "content-type" && self.has(Change::Header);
            if is_changed {
                template = template.append_header("cache-control", "max-age=60");
            }
            template = template.append_header(name, value);
        }
        if is_request && !path.ends_with("/activity") && self.has(Change::Field) {
            let mut json: Value = serde_json::from_slice(&body).expect("the mock answers in JSON");
            if let Some(attributes) = json.pointer_mut("/data/attributes") {
                attributes["priority"] = json!("high");
            }
            body = Bytes::from(json.to_string());
        }
        template.set_body_bytes(body)
    }
}

impl Changed {
    fn has(&self, change: Change) -> bool {
        self.changes.contains(&change)
    }

    async fn answer(&self, request: &wiremock::Request) -> (http::response::Parts, Bytes) {
        let path = request.url.path();
        let target = request.url.query().map_or_else(|| path.to_owned(), |q| format!("{path}?{q}"));
        let body = Full::new(Bytes::copy_from_slice(&request.body));
        let call = http::Request::builder().method(&request.method).uri(target);
        let mut call = call.body(body).expect("it came as a request");
        *call.headers_mut() = request.headers.clone();
        let answer = self.site.call(call, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let (head, body) = answer.into_parts();
        (head, body.collect().await.expect("the mock answers to the end").to_bytes())
    }
}

/// Starts it with another seed each time, and writes the target file for it.
pub(crate) async fn start(dir: &Path, seed: u64, changes: &[Change]) -> MockServer {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let base = format!("http://{}/api", listener.local_addr().expect("it is bound"));
    let demo = Arc::new(world::named("demo").expect("it is bundled").clone());
    let mut settings = moot_mock::shell::settings::defaults(&base, demo);
    let mut text = String::new();
    for change in changes {
        text.push_str(match change {
            Change::Answer => "other_company: 403\n",
            Change::Order => "list_order: oldest_first\n",
            Change::Field | Change::Header | Change::Defect => "",
        });
        if *change == Change::Defect {
            settings.defects.push(defect::named("upload.nothing-is-422").expect("known"));
        }
    }
    settings.seed = seed;
    settings.answers = answers::parse(&text).expect("they are allowed");
    settings.rate_limit = RateLimitMode::Off;
    let site = Site::new(SiteOptions::new(settings)).expect("it starts");
    let server = MockServer::builder().listener(listener).start().await;
    let changed = Changed { site, changes: changes.to_vec() };
    Mock::given(any()).respond_with(changed).mount(&server).await;
    target(dir, &base, &format!("{ALL_BUT_LOAD}answers: pinned.yaml\n"));
    server
}

/// A folder with a recording, snapshots and pinned answers of the deployment as it was.
async fn recorded() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("sample.yaml"), SCENARIOS).expect("writable");
    fs::write(dir.path().join("pinned.yaml"), "").expect("writable");
    let _server = start(dir.path(), 1, &[]).await;
    let words = ["--snapshots", "record", "--save-answers", "pinned.yaml", "--record", "kept"];
    judged(dir.path(), &words, 0);
    dir
}

/// What is bad in a run: verdict and subject, each with how often.
fn judged(dir: &Path, words: &[&str], code: i32) -> BTreeMap<String, usize> {
    let plan = ["run", "--target", "target.yaml", "--scenarios", "sample.yaml"];
    let ran = run(&[&plan[..], words, &["--report", "json=run.json"]].concat(), dir);
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let mut bad = BTreeMap::new();
    for check in read(&dir.join("run.json"))["checks"].as_array().into_iter().flatten() {
        if ["fail", "drift", "warn", "error"].iter().any(|bad| check["verdict"] == *bad) {
            let names = ["requirement", "question", "snapshot"].map(|name| check[name].as_str());
            let name = names.into_iter().flatten().next().unwrap_or_default();
            *bad.entry(format!("{} {name}", check["verdict"])).or_default() += 1;
        }
    }
    bad
}

/// Class and subject of what a comparison of the recording and the target found; each is there once.
fn compared(dir: &Path, code: i32) -> BTreeSet<(String, String)> {
    let words = ["compare", "kept", "target.yaml", "--scenarios", "sample.yaml"];
    let ran = run(&[&words[..], &["--report", "json=compare.json"]].concat(), dir);
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let report = read(&dir.join("compare.json"));
    assert_eq!(report["exit_code"], code);
    let all = report["differences"].as_array().expect("a list");
    let text = |one: &Value, name: &str| one[name].as_str().expect("a text").to_owned();
    let set: BTreeSet<_> =
        all.iter().map(|one| (text(one, "class"), text(one, "subject"))).collect();
    assert_eq!(set.len(), all.len(), "{}", ran.stdout);
    set
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

fn rows(rows: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    rows.iter().map(|(class, subject)| ((*class).to_owned(), (*subject).to_owned())).collect()
}

fn counts(rows: &[&str]) -> BTreeMap<String, usize> {
    rows.iter().map(|row| ((*row).to_owned(), 1)).collect()
}

#[tokio::test]
async fn the_same_deployment_with_other_data_is_the_same() {
    let dir = recorded().await;
    let _server = start(dir.path(), 2, &[]).await;
    assert_eq!(judged(dir.path(), &[], 0), counts(&[]));
    assert_eq!(compared(dir.path(), 0), rows(&[]));
}

#[tokio::test]
async fn each_change_alone_is_told_once_and_nothing_else() {
    let dir = recorded().await;
    let request = "sample/a-request__GET_v1_requests_some_0";
    for (change, code, in_run, in_comparison) in [
        (Change::Answer, 5, "other_company", ("both_allowed", "other_company")),
        (Change::Order, 5, "list_order", ("both_allowed", "list_order")),
        (Change::Field, 5, request, ("undecidable", "member legal_request/attributes/priority")),
        (
            Change::Header,
            5,
            "sample/workflows__GET_v1_workflows",
            ("undecidable", "header cache-control"),
        ),
    ] {
        let _server = start(dir.path(), 3, &[change]).await;
        assert_eq!(
            judged(dir.path(), &[], code),
            counts(&[&format!("\"drift\" {in_run}")]),
            "{change:?}"
        );
        let ending = if in_comparison.0 == "undecidable" { 3 } else { 5 };
        assert_eq!(compared(dir.path(), ending), rows(&[in_comparison]), "{change:?}");
    }
}

#[tokio::test]
async fn five_changes_are_told_once_each_in_their_classes() {
    let dir = recorded().await;
    let drift = [
        "\"drift\" list_order",
        "\"drift\" other_company",
        "\"drift\" sample/a-request__GET_v1_requests_some_0",
        "\"drift\" sample/workflows__GET_v1_workflows",
    ];
    let allowed = [
        ("both_allowed", "list_order"),
        ("both_allowed", "other_company"),
        ("undecidable", "header cache-control"),
        ("undecidable", "member legal_request/attributes/priority"),
    ];
    let server = start(dir.path(), 4, &ALLOWED).await;
    assert_eq!(judged(dir.path(), &[], 5), counts(&drift));
    assert_eq!(compared(dir.path(), 5), rows(&allowed));
    drop(server);
    let _server = start(dir.path(), 5, &[&ALLOWED[..], &[Change::Defect]].concat()).await;
    let violation = ("b_violates", "create-repository-document.file-or-url-required");
    assert_eq!(compared(dir.path(), 1), rows(&[&allowed[..], &[violation]].concat()));
    let fail = "\"fail\" create-repository-document.file-or-url-required";
    assert_eq!(judged(dir.path(), &[], 1), counts(&[&drift[..], &[fail]].concat()));
}
