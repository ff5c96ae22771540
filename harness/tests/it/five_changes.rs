//! A deployment is recorded with the bundled suite. Then five of its properties change. A comparison reports each
//! change once, in its class.

use std::collections::BTreeSet;
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
use tokio::sync::OnceCell;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate};

use crate::command_support::run;
use crate::deployment::{ALL_BUT_LOAD, target};

/// The scenarios that record a response or show one of the changes. The whole suite takes minutes in a debug build.
const SELECTION: [&str; 30] = [
    "02_resources/workflow-schema-members",
    "02_07_pagination/pagination-partition",
    "04_01_create_access_token/scope-granted-is-scope-asked",
    "04_01_create_access_token/token-works-as-bearer",
    "04_02_list_workflows/workflows-listed",
    "04_03_get_workflow",
    "04_04_get_workflow_schema",
    "04_05_create_legal_request/created-from-its-schema",
    "04_05_create_legal_request/always-required-field-missing",
    "04_05_create_legal_request/create-documented-errors",
    "04_06_list_legal_requests/requests-listed",
    "04_07_get_legal_request",
    "04_08_get_legal_request_activity/activity-of-a-request",
    "04_08_get_legal_request_activity/activity-unknown-id",
    "04_09_create_repository_document/document-uploaded-as-file",
    "04_09_create_repository_document/document-without-file-or-url",
    "04_09_create_repository_document/document-type-unsupported",
    "04_09_create_repository_document/document-upload-needs-write",
    "04_10_list_repository_documents",
    "04_11_get_repository_document/document-id-of-another-resource",
    "04_12_list_webhooks/webhooks-listed",
    "04_13_delete_webhook",
    "04_14_create_webhook/webhook-registered",
    "05_authentication/credentials-become-a-token",
    "05_isolation",
    "07_errors/problem-*",
    "07_errors/token-failure-is-no-problem",
    "07_errors/unknown-path",
    "09_versioning",
    "journey_nda",
];

/// A change since the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A resource of another company is forbidden instead of not found.
    Answer,
    /// Lists begin with the oldest object.
    Order,
    /// A request has a further member.
    Field,
    /// A cache may store the list of workflows.
    Header,
    /// An upload without a document is refused with another status.
    Defect,
}

const ALL: [Change; 5] =
    [Change::Answer, Change::Order, Change::Field, Change::Header, Change::Defect];

/// The mock with these changes, behind a server.
struct Changed {
    site: Site,
    changes: Vec<Change>,
}

impl Respond for Changed {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        // This blocks the runtime of wiremock.
        let (head, mut body) = std::thread::scope(|scope| {
            let response = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("it starts").block_on(self.answer(request))
            });
            response.join().expect("it answers")
        });
        let mut template = ResponseTemplate::new(head.status.as_u16());
        let path = request.url.path();
        let is_list = request.method == "GET" && path.ends_with("/v1/workflows");
        let is_request = request.method == "GET" && path.contains("/v1/requests/");
        for (name, value) in &head.headers {
            let is_changed = is_list && name == "content-type" && self.has(Change::Header);
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
        let response = self.site.call(call, IpAddr::V4(Ipv4Addr::LOCALHOST)).await;
        let (head, body) = response.into_parts();
        (head, body.collect().await.expect("the mock answers to the end").to_bytes())
    }
}

/// Starts the deployment with a new seed, and writes its target file.
pub(crate) async fn start(dir: &Path, seed: u64, changes: &[Change]) -> MockServer {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let base = format!("http://{}/api", listener.local_addr().expect("it is bound"));
    let demo = Arc::new(world::named("demo").expect("it is bundled").clone());
    let mut settings = moot_mock::shell::settings::defaults(&base, demo);
    let (mut text, mut defects) = (String::new(), Vec::new());
    for change in changes {
        text.push_str(match change {
            Change::Answer => "other_company: 403\n",
            Change::Order => "list_order: oldest_first\n",
            Change::Field | Change::Header | Change::Defect => "",
        });
        if *change == Change::Defect {
            defects.push(defect::named("upload.nothing-is-422").expect("known"));
        }
    }
    settings.seed = seed;
    settings.answers = answers::parse(&text).expect("they are allowed");
    settings.rate_limit = RateLimitMode::Off;
    let site = Site::new(SiteOptions { defects, ..SiteOptions::new(settings) }).expect("it starts");
    let server = MockServer::builder().listener(listener).start().await;
    let changed = Changed { site, changes: changes.to_vec() };
    Mock::given(any()).respond_with(changed).mount(&server).await;
    target(dir, &base, &format!("{ALL_BUT_LOAD}answers: pinned.yaml\n"));
    server
}

/// The deployment with its changes, and the folder with its earlier recording.
struct Today {
    dir: tempfile::TempDir,
    yesterday: &'static Path,
    _server: MockServer,
}

/// A folder with a recording, snapshots and pinned answers of the deployment before its changes. It is created once.
async fn recorded() -> &'static Path {
    static MADE: OnceCell<tempfile::TempDir> = OnceCell::const_new();
    let made = MADE.get_or_init(|| async {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("pinned.yaml"), "").expect("writable");
        let _server = start(dir.path(), 1, &[]).await;
        let words = ["--snapshots", "record", "--snapshot-dir", "snapshots"];
        let kept = ["--save-answers", "pinned.yaml", "--record", "kept"];
        assert_eq!(judged(dir.path(), &[words, kept].concat(), 0), Vec::<String>::new());
        dir
    });
    made.await.path()
}

async fn today(seed: u64, changes: &[Change]) -> Today {
    let yesterday = recorded().await;
    let dir = tempfile::tempdir().expect("a folder");
    fs::copy(yesterday.join("pinned.yaml"), dir.path().join("pinned.yaml")).expect("writable");
    let server = start(dir.path(), seed, changes).await;
    Today { dir, yesterday, _server: server }
}

impl Today {
    fn of_yesterday(&self, name: &str) -> String {
        self.yesterday.join(name).to_string_lossy().into_owned()
    }

    /// The findings of a run.
    #[track_caller]
    fn judged(&self, code: i32) -> Vec<String> {
        let snapshots = self.of_yesterday("snapshots");
        judged(self.dir.path(), &["--snapshots", "check", "--snapshot-dir", &snapshots], code)
    }

    /// Compares the recording with the target. Returns class and subject of each difference, and asserts that none is
    /// reported twice.
    #[track_caller]
    fn compared(&self, code: i32) -> BTreeSet<String> {
        let kept = self.of_yesterday("kept");
        let words = ["compare", &kept, "target.yaml", "--report", "json=compare.json"];
        let ran = run(&words, self.dir.path());
        assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
        let report = read(&self.dir.path().join("compare.json"));
        assert_eq!(report["exit_code"], code);
        let all = report["differences"].as_array().expect("a list").iter();
        let said: Vec<String> =
            all.map(|one| format!("{} {}", text(one, "class"), text(one, "subject"))).collect();
        let set: BTreeSet<String> = said.iter().cloned().collect();
        assert_eq!(set.len(), said.len(), "{}", ran.stdout);
        set
    }
}

/// Verdict and subject of each finding of a run. Asserts that each failed check is in a finding.
#[track_caller]
fn judged(dir: &Path, words: &[&str], code: i32) -> Vec<String> {
    let plan = ["run", "--target", "target.yaml", "--report", "json=run.json"];
    let ran = run(&[&plan[..], words, &SELECTION].concat(), dir);
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    let report = read(&dir.join("run.json"));
    let findings = report["findings"].as_array().expect("a list");
    let wanting = ["error", "fail", "drift", "warn"];
    let wanting: u64 = wanting.iter().filter_map(|it| report["counts"][it].as_u64()).sum();
    let ids = |one: &Value, list: &str| one[list].as_array().cloned().unwrap_or_default();
    let told = findings.iter().flat_map(|one| [ids(one, "checks"), ids(one, "explains")].concat());
    let told: BTreeSet<String> = told.map(|id| id.to_string()).collect();
    assert_eq!(told.len() as u64, wanting, "{findings:#?}");
    findings.iter().map(|one| format!("{} {}", text(one, "verdict"), subject(one))).collect()
}

fn subject(finding: &Value) -> &str {
    let names = ["requirement", "question", "snapshot"].map(|name| finding[name].as_str());
    names.into_iter().flatten().next().unwrap_or_default()
}

fn text<'a>(one: &'a Value, name: &str) -> &'a str {
    one[name].as_str().expect("a text")
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

const ANSWER: &str = "drift other_company";
const ORDER: &str = "drift list_order";
const FIELD: &str = "drift 04_07_get_legal_request/request-by-id__GET_v1_requests_legal_request";
const HEADER: &str = "drift 04_02_list_workflows/workflows-listed__GET_v1_workflows";
const DEFECT: &str = "fail create-repository-document.file-or-url-required";

#[tokio::test]
async fn the_same_deployment_with_other_data_is_the_same() {
    let today = today(2, &[]).await;
    assert_eq!(today.judged(0), Vec::<String>::new());
    assert_eq!(today.compared(0), BTreeSet::new());
}

#[tokio::test]
async fn each_change_is_exactly_one_finding() {
    for (change, code, finding) in [
        (Change::Answer, 5, ANSWER),
        (Change::Order, 5, ORDER),
        (Change::Field, 5, FIELD),
        (Change::Header, 5, HEADER),
        (Change::Defect, 1, DEFECT),
    ] {
        let today = today(3, &[change]).await;
        assert_eq!(today.judged(code), [finding], "{change:?}");
    }
}

#[tokio::test]
async fn five_changes_are_reported_once_each_in_their_classes() {
    let today = today(4, &ALL).await;
    assert_eq!(today.judged(1), [DEFECT, ORDER, HEADER, FIELD, ANSWER]);
    let differences = [
        "b_violates create-repository-document.file-or-url-required",
        "both_allowed list_order",
        "both_allowed other_company",
        "undecidable header cache-control",
        "undecidable member legal_request/attributes/priority",
    ];
    let differences: BTreeSet<String> = differences.into_iter().map(str::to_owned).collect();
    assert_eq!(today.compared(1), differences);
}
