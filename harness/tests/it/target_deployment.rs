//! The requests of a run on a deployment, counted by a server.

use std::path::Path;
use std::sync::Arc;

use moot_fixtures::contract::Scopes;
use moot_harness::client::ClientRequest;
use moot_harness::exchange::Trouble;
use moot_harness::exchange::masks::Masks;
use moot_harness::run::environment::{Environment, OpenError, Session};
use moot_harness::scenario::model::Sandbox;
use serde_json::{Value, json};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::command_support::message;
use crate::target_sample::{call, call_with, open, service, upload};

struct Opened {
    target: Environment,
    session: Session,
    masks: Arc<Masks>,
    folder: tempfile::TempDir,
}

async fn opened(server: &MockServer, more: &str) -> Opened {
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("{}/api", server.uri());
    let target = open(&base, more, folder.path(), &masks).await.expect("it opens");
    let session = target.session("a/b", &Sandbox::default()).await.expect("there is a session");
    Opened { target, session, masks, folder }
}

/// The requests to the server, without tokens and discovery.
async fn reached(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap_or_default();
    let own = |line: &String| line != "POST /api/oauth/token" && line != "GET /api/v1/workflows";
    requests.iter().map(|it| format!("{} {}", it.method, it.url.path())).filter(own).collect()
}

#[tokio::test]
async fn a_read_only_run_only_reads() {
    let server = service().await;
    let opened = opened(&server, "").await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        let exchange = opened.session.send(call(method, "/v1/requests")).await;
        assert!(matches!(exchange.outcome, Err(Trouble::Withheld(_))), "{method}");
    }
    opened.session.send(call("GET", "/v1/requests")).await;
    assert!(!opened.folder.path().join("ledger.ndjson").exists(), "nothing is created");
    assert_eq!(reached(&server).await, ["GET /api/v1/requests"]);
    let reason = opened.target.missing("write").expect("it is not consented to");
    assert_eq!(reason.setting.as_deref(), Some("consent: [write] in the target file"));
    assert!(opened.target.missing("read").is_none());
}

#[tokio::test]
async fn a_token_is_requested_once_and_shared() {
    let server = service().await;
    let opened = opened(&server, "").await;
    let read = opened.session.token("main", Scopes::READ, false).await.expect("there is one");
    assert_eq!(read, "token-1");
    assert_eq!(opened.session.token("main", Scopes::READ, false).await.as_deref(), Ok("token-1"));
    assert_eq!(opened.session.token("main", Scopes::WRITE, false).await.as_deref(), Ok("token-2"));
    assert_eq!(opened.session.token("main", Scopes::READ, false).await.as_deref(), Ok("token-1"));
    let missing = opened.session.token("reader", Scopes::READ, false).await;
    let Err(Trouble::Withheld(why)) = missing else { panic!("{missing:?}") };
    insta::assert_snapshot!(why, @"the target has no application `reader`; name it as `applications.reader` in the target file");
}

#[tokio::test]
async fn a_token_may_have_any_lifetime() {
    let server = MockServer::start().await;
    let body = json!({ "access_token": "token-1", "expires_in": u64::MAX });
    respond(&server, "POST", "/api/oauth/token", &body).await;
    let opened = opened(&server, "").await;
    assert_eq!(opened.session.token("main", Scopes::READ, false).await.as_deref(), Ok("token-1"));
}

/// Refuses one call with `token-1`, as revoked.
async fn refuse_first_token(server: &MockServer) {
    Mock::given(path("/api/v1/requests"))
        .and(header("authorization", "Bearer token-1"))
        .respond_with(ResponseTemplate::new(401).set_body_json(json!({ "type": "token_revoked" })))
        .expect(1)
        .mount(server)
        .await;
}

#[tokio::test]
async fn a_shared_token_that_was_revoked_is_renewed_once() {
    let server = service().await;
    refuse_first_token(&server).await;
    Mock::given(path("/api/v1/requests"))
        .and(header("authorization", "Bearer token-2"))
        .respond_with(ResponseTemplate::new(200))
        .expect(1)
        .mount(&server)
        .await;
    let opened = opened(&server, "").await;
    let token = opened.session.token("main", Scopes::READ, false).await.expect("there is one");
    let exchange = opened.session.send(call_with("GET", "/v1/requests", &token)).await;
    assert_eq!(exchange.outcome.map(|response| response.status).ok(), Some(200));
    assert_eq!(opened.session.token("main", Scopes::READ, false).await.as_deref(), Ok("token-2"));
}

#[tokio::test]
async fn a_revoked_token_of_the_scenario_stays_revoked() {
    let server = service().await;
    Mock::given(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(401).set_body_json(json!({ "type": "token_revoked" })))
        .expect(1)
        .mount(&server)
        .await;
    let opened = opened(&server, "").await;
    let exchange = opened.session.send(call_with("GET", "/v1/requests", "captured")).await;
    assert_eq!(exchange.outcome.map(|response| response.status).ok(), Some(401));
}

#[tokio::test]
async fn a_token_of_the_scenario_stays_revoked_even_if_the_run_shares_it() {
    let server = service().await;
    refuse_first_token(&server).await;
    let opened = opened(&server, "").await;
    let token = opened.session.token("main", Scopes::READ, false).await.expect("there is one");
    let call = call_with("GET", "/v1/requests", &token);
    let exchange = opened.session.send(ClientRequest { keeps_token: true, ..call }).await;
    assert_eq!(exchange.outcome.map(|response| response.status).ok(), Some(401));
}

#[tokio::test]
async fn a_get_is_retried_once_and_a_write_never() {
    for (verb, status, calls) in [
        ("GET", 502, 2),
        ("GET", 503, 2),
        ("GET", 500, 1),
        ("POST", 502, 1),
        ("POST", 503, 1),
        ("POST", 429, 1),
    ] {
        let server = service().await;
        Mock::given(path("/api/v1/requests"))
            .respond_with(ResponseTemplate::new(status))
            .expect(calls)
            .mount(&server)
            .await;
        let opened = opened(&server, "consent: [write]").await;
        let exchange = opened.session.send(call(verb, "/v1/requests")).await;
        let received = exchange.outcome.map(|response| response.status).ok();
        assert_eq!(received, Some(status), "{verb}");
    }
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let server = service().await;
    Mock::given(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(429).insert_header("retry-after", "1"))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(200))
        .mount(&server)
        .await;
    let opened = opened(&server, "").await;
    let started = std::time::Instant::now();
    let exchange = opened.session.send(call("GET", "/v1/requests")).await;
    assert_eq!(exchange.outcome.map(|response| response.status).ok(), Some(200));
    assert!(started.elapsed().as_millis() >= 1_000, "{:?}", started.elapsed());
    assert!(exchange.duration.as_millis() < 900, "waiting is not part of it");
}

#[tokio::test]
async fn each_creation_is_in_the_ledger_before_and_after() {
    let server = service().await;
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .respond_with(
            ResponseTemplate::new(201).set_body_json(json!({ "data": { "id": "w-1 a" } })),
        )
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(422))
        .mount(&server)
        .await;
    Mock::given(method("DELETE"))
        .and(path("/api/v1/webhooks/w-1%20a"))
        .respond_with(ResponseTemplate::new(204))
        .expect(1)
        .mount(&server)
        .await;
    let opened = opened(&server, "consent: [write, delete]").await;
    opened.session.send(upload("/v1/requests", &[])).await;
    assert!(opened.target.residue().is_empty(), "refused");
    opened.session.send(call("POST", "/v1/webhooks")).await;
    let residue = opened.target.residue();
    assert_eq!((residue[0].kind.as_str(), residue[0].id.as_deref()), ("webhook", Some("w-1 a")));
    assert_eq!(
        (residue[0].tag.as_str(), residue[0].scenario.to_string().as_str()),
        ("t1", "sample/scenario")
    );
    opened.target.cleanup().await;
    assert!(opened.target.residue().is_empty());
    let told: Vec<String> = ledger(opened.folder.path())
        .iter()
        .map(|row| format!("{} {}", row["kind"].as_str().unwrap_or("-"), row["what"]))
        .collect();
    assert_eq!(
        told,
        [
            "legal_request \"creating\"",
            "legal_request \"refused\"",
            "webhook \"creating\"",
            "webhook \"created\"",
            "webhook \"deleted\"",
        ]
    );
}

#[tokio::test]
async fn the_budget_of_created_objects_is_kept() {
    let server = service().await;
    Mock::given(method("POST"))
        .and(path("/api/v1/webhooks"))
        .respond_with(ResponseTemplate::new(201))
        .expect(2)
        .mount(&server)
        .await;
    let opened = opened(&server, "consent: [write]").await;
    for _ in 0..2 {
        assert!(opened.session.send(call("POST", "/v1/webhooks")).await.outcome.is_ok());
    }
    let exchange = opened.session.send(call("POST", "/v1/webhooks")).await;
    let Err(Trouble::Withheld(why)) = exchange.outcome else { panic!("it was sent") };
    insta::assert_snapshot!(why, @"the run has created as many objects as `limits.created_objects_max` in the target file allows: 2");
}

#[tokio::test]
async fn no_text_of_an_exchange_has_a_secret() {
    let server = service().await;
    let opened = opened(&server, "").await;
    let form = "grant_type=client_credentials&client_id=id&client_secret=top-secret-value";
    let mut prepared = call("POST", "/oauth/token?again=top-secret-value");
    prepared.headers =
        vec![("Authorization".to_owned(), "Basic aWQ6dG9wLXNlY3JldC12YWx1ZQ==".to_owned())];
    prepared.body =
        moot_harness::client::ClientBody::bytes("application/x-www-form-urlencoded", form);
    let exchange = opened.session.send(prepared).await;
    let shown = format!("{:?}", exchange.request);
    for secret in ["top-secret-value", "aWQ6dG9wLXNlY3JldC12YWx1ZQ"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(exchange.request.curl.contains("client_secret=\"$MOOT_CLIENT_SECRET\""));
    // The token of that response is masked from now on.
    assert_ne!(opened.masks.mask("token-2"), "token-2");
    let with_token = opened.session.send(call_with("GET", "/v1/requests", "token-2")).await;
    assert!(with_token.request.curl.contains("$MOOT_TOKEN"), "{}", with_token.request.curl);
    assert!(!format!("{:?}", with_token.request).contains("token-2"));
}

#[tokio::test]
async fn refused_credentials_differ_from_no_response() {
    let server = MockServer::start().await;
    Mock::given(path("/api/oauth/token"))
        .respond_with(
            ResponseTemplate::new(401).set_body_json(json!({ "error": "invalid_client" })),
        )
        .mount(&server)
        .await;
    let folder = tempfile::tempdir().expect("a folder");
    let masks = Arc::new(Masks::default());
    let base = format!("{}/api", server.uri());
    match open(&base, "", folder.path(), &masks).await.err() {
        Some(OpenError::Unreachable(said)) => {
            insta::assert_snapshot!(message(&said), @"DIR/target.yaml:2: 127.0.0.1:PORT gives no token to the application `main`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.main`; a value must not contain quotes or a line end");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn gateway_headers_go_to_the_target() {
    let server = service().await;
    Mock::given(path("/api/v1/requests"))
        .and(header("x-stage", "blue"))
        .respond_with(ResponseTemplate::new(200))
        .expect(1)
        .mount(&server)
        .await;
    let opened = opened(&server, "headers: { X-Stage: blue }").await;
    assert!(opened.session.send(call("GET", "/v1/requests")).await.outcome.is_ok());
}

#[tokio::test]
async fn workflows_are_found_and_a_payload_knows_its_workflow() {
    let server = MockServer::start().await;
    let token = json!({ "access_token": "token-1" });
    respond(&server, "POST", "/api/oauth/token", &token).await;
    let row = |id: &str, status: &str| json!({ "id": id, "attributes": { "status": status } });
    let rows = [
        row("g1", "published"),
        row("u1", "unpublished"),
        row("g2", "published"),
        row("t1", "published"),
    ];
    respond(&server, "GET", "/api/v1/workflows", &json!({ "data": rows })).await;
    let schema =
        |name: &str, required: &[&str]| json!({ "name": name, "required_fields": required });
    for (id, required) in [("g1", &["counterparty_name"][..]), ("g2", &[]), ("t1", &["file"])] {
        let path = format!("/api/v1/workflows/{id}/schema");
        respond(&server, "GET", &path, &schema(id, required)).await;
    }
    let more = "consent: [write]\nbindings: { requester_email: a@legal.example }";
    let opened = opened(&server, more).await;
    let bindings = opened.session.roots().get(&["bindings".to_owned()]).expect("it is a root");
    assert_eq!(bindings["workflows"], json!(["g1", "t1"]));
    assert_eq!(bindings["generated_workflow_id"], json!("g1"));
    assert_eq!(bindings["third_party_workflow_id"], json!("t1"));
    assert!(opened.target.missing("workflow_multiple_signers").is_some());
    let read = opened.session.send(call("GET", "/v1/workflows/t1/schema")).await;
    let schema = read.outcome.expect("it answers").json.expect("it is JSON");
    let parts = opened.session.payload(&schema).expect("there is a value for each");
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["workflow_id", "requester_email", "file"]);
    assert_eq!(parts[0], moot_harness::client::FormPart::text("workflow_id", "t1"));
}

/// A company with the workflows `w0`, `w1`, … and these required fields.
async fn company_with(workflows: &[&[&str]]) -> MockServer {
    let server = MockServer::start().await;
    respond(&server, "POST", "/api/oauth/token", &json!({ "access_token": "token-1" })).await;
    let ids: Vec<String> = (0..workflows.len()).map(|number| format!("w{number}")).collect();
    let row = |id| json!({ "id": id, "attributes": { "status": "published" } });
    let rows: Vec<Value> = ids.iter().map(row).collect();
    respond(&server, "GET", "/api/v1/workflows", &json!({ "data": rows })).await;
    for (id, required) in ids.iter().zip(workflows) {
        let schema = json!({ "name": id, "required_fields": required });
        respond(&server, "GET", &format!("/api/v1/workflows/{id}/schema"), &schema).await;
    }
    server
}

#[tokio::test]
async fn a_workflow_is_found_behind_many_of_other_kinds() {
    let (single, multiple) = ("internal_signer_email", "internal_signer_emails[]");
    let server = company_with(&[
        &[],
        &["variables"],
        &[single],
        &[single, "variables"],
        &[multiple],
        &["file", single],
        &["file"],
    ])
    .await;
    let opened = opened(&server, "").await;
    let bindings = opened.session.roots().get(&["bindings".to_owned()]).expect("it is a root");
    assert_eq!(bindings["multiple_signers_workflow_id"], json!("w4"));
    assert_eq!(bindings["third_party_workflow_id"], json!("w5"));
    // One with one signer, one with several, one with a file, and one whose variables have no names.
    assert_eq!(bindings["workflows"], json!(["w2", "w4", "w5", "w1"]));
    let read = reached(&server).await;
    assert!(!read.contains(&"GET /api/v1/workflows/w6/schema".to_owned()), "{read:?}");
}

#[tokio::test]
async fn a_workflow_that_takes_supporting_files_is_found_behind_another() {
    let server = MockServer::start().await;
    respond(&server, "POST", "/api/oauth/token", &json!({ "access_token": "token-1" })).await;
    let row = |id| json!({ "id": id, "attributes": { "status": "published" } });
    let rows = json!({ "data": [row("w0"), row("w1")] });
    respond(&server, "GET", "/api/v1/workflows", &rows).await;
    for (id, optional) in [("w0", &[][..]), ("w1", &["support_documents[]"])] {
        let schema = json!({ "required_fields": [], "optional_fields": optional });
        respond(&server, "GET", &format!("/api/v1/workflows/{id}/schema"), &schema).await;
    }
    let opened = opened(&server, "").await;
    let bindings = opened.session.roots().get(&["bindings".to_owned()]).expect("it is a root");
    assert_eq!(bindings["supporting_workflows"], json!(["w1"]));
}

#[tokio::test]
async fn workflows_whose_schemas_are_elsewhere_ask_for_the_path_of_schemas() {
    let server = MockServer::start().await;
    respond(&server, "POST", "/api/oauth/token", &json!({ "access_token": "token-1" })).await;
    let row = json!({ "id": "w0", "attributes": { "status": "published" } });
    respond(&server, "GET", "/api/v1/workflows", &json!({ "data": [row] })).await;
    let opened = opened(&server, "").await;
    let missing = opened.target.missing("workflow_generated").expect("there is none");
    insta::assert_snapshot!(missing.reason, @"no published workflow was found that generates its agreement: the target returned 404 at `GET /v1/workflows/{id}/schema`");
    let setting = missing.setting.as_deref();
    assert_eq!(setting, Some("endpoints.workflow_schema in the target file"));
}

#[tokio::test]
async fn a_search_that_ends_before_all_workflows_says_so() {
    let server = company_with(&[&[][..]; 41]).await;
    let opened = opened(&server, "").await;
    let missing = opened.target.missing("workflow_third_party").expect("there is none");
    insta::assert_snapshot!(missing.reason, @"no published workflow was found that takes an uploaded document: only the first 40 of the list were searched");
    assert_eq!(reached(&server).await.len(), 40);
}

async fn respond(server: &MockServer, verb: &str, at: &str, body: &Value) {
    Mock::given(method(verb))
        .and(path(at))
        .respond_with(ResponseTemplate::new(200).set_body_json(body))
        .mount(server)
        .await;
}

fn ledger(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("ledger.ndjson")).expect("it was written");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[tokio::test]
async fn a_creating_call_is_one_in_every_spelling() {
    let server = service().await;
    Mock::given(method("POST"))
        .and(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(201).set_body_json(json!({ "data": { "id": "a" } })))
        .mount(&server)
        .await;
    let opened = opened(&server, "consent: [write]").await;
    // The budget of two is used up.
    for _ in 0..2 {
        opened.session.send(upload("/v1/requests", &[("name", "x")])).await;
    }
    for path in [
        "/v1/requests",
        "/v1/requests/",
        "//v1/requests",
        "/v1//requests",
        "/v1/%72equests",
        "/v1/%2572equests",
        "/v1/webhooks/../requests",
        "/v1/requests?page=1",
        "/v1/./repository_documents",
        "/v1%2Frepository_documents/",
    ] {
        let exchange = opened.session.send(upload(path, &[("name", "x")])).await;
        let why = format!("{:?}", exchange.outcome.err());
        assert!(why.contains("limits.created_objects_max"), "{path}: {why}");
    }
    assert_eq!(reached(&server).await, ["POST /api/v1/requests"; 2]);
}

#[tokio::test]
async fn other_endpoints_need_the_same_consent() {
    let server = service().await;
    let more = "endpoints: { create_webhook: GET /v1/hooks/new }\n";
    let opened = opened(&server, more).await;
    for path in ["/v1/hooks/new", "/v1/hooks//new/", "/v1/hooks/%6eew?a=b"] {
        let exchange = opened.session.send(call("GET", path)).await;
        let why = format!("{:?}", exchange.outcome.err());
        assert!(why.contains("consent: [write]"), "{path}: {why}");
    }
    assert_eq!(reached(&server).await, Vec::<String>::new());
}
