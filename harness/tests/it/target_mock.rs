//! A mock as a target, in process and over HTTP. Each session has its own sandbox.

use std::sync::Arc;

use moot_fixtures::contract::Scopes;
use moot_harness::client::{ClientBody, ClientRequest, payload, target_file};
use moot_harness::exchange::masks::Masks;
use moot_harness::exchange::{Exchange, ReceivedResponse, TargetClass};
use moot_harness::run::environment::{Environment, Session, TargetChoice, TargetOptions};
use moot_harness::scenario::model::{NEEDS, Rhythm, Sandbox, UselessToken};
use serde_json::{Value, json};

use crate::target_sample::{call_with, json_call};

async fn in_process() -> (Environment, Arc<Masks>) {
    let masks = Arc::new(Masks::default());
    let options = TargetOptions { seed: 7, run_tag: "t1".to_owned(), ..TargetOptions::default() };
    let opened = Environment::open(TargetChoice::InProcess, options, masks.clone()).await;
    (opened.expect("the mock starts"), masks)
}

async fn session(target: &Environment, sandbox: &Sandbox) -> Session {
    target.session("file/scenario", sandbox).await.expect("there is a sandbox")
}

fn response(exchange: &Exchange) -> &ReceivedResponse {
    exchange.outcome.as_ref().unwrap_or_else(|trouble| panic!("{trouble:?}"))
}

#[track_caller]
fn check(exchange: &Exchange, status: u16) -> &Value {
    let response = response(exchange);
    assert_eq!(response.status, status, "{:?}", response.body);
    response.json.as_deref().unwrap_or(&Value::Null)
}

async fn get(session: &Session, path: &str) -> Exchange {
    let token = session.token("main", Scopes::READ, false).await.expect("there is a token");
    session.send(call_with("GET", path, &token)).await
}

/// Creates a legal request for this workflow from its schema.
async fn create(session: &Session, workflow: &str) -> Exchange {
    let read = get(session, &format!("/v1/workflows/{workflow}/schema")).await;
    let parts = session.payload(check(&read, 200)).expect("there is a value for each field");
    let token = session.token("main", Scopes::WRITE, false).await.expect("there is a token");
    let call = call_with("POST", "/v1/requests", &token);
    session.send(ClientRequest { body: ClientBody::Multipart(parts), ..call }).await
}

fn root(session: &Session, name: &str) -> Value {
    session.roots().get(&[name.to_owned()]).expect("it is a root")
}

#[tokio::test]
async fn the_mock_in_process_meets_every_need() {
    let (target, _) = in_process().await;
    assert!(target.is_mock());
    assert_eq!(target.description().class, TargetClass::InProcess);
    for need in NEEDS {
        assert_eq!(target.missing(need), None);
    }
    assert!(target.missing("luck").is_some());
}

#[tokio::test]
async fn every_workflow_takes_the_request_that_its_schema_asks_for() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    let bindings = root(&session, "bindings");
    let workflows = bindings["workflows"].as_array().expect("it is a list").clone();
    assert_eq!(workflows.len(), 4, "one of each kind of form");
    for workflow in workflows {
        let created = create(&session, workflow.as_str().expect("an id is a text")).await;
        check(&created, 201);
    }
    session.close().await;
}

#[tokio::test]
async fn a_stage_knows_the_workflow_of_a_schema_it_read() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    let bindings = root(&session, "bindings");
    let id = bindings["generated_workflow_id"].as_str().expect("it is bound").to_owned();
    let read = get(&session, &format!("/v1/workflows/{id}/schema")).await;
    let alone = payload::from_schema(check(&read, 200), &bindings, "t1").expect("it is a form");
    assert!(alone.iter().all(|part| part.name != "workflow_id"));
    let known = session.payload(check(&read, 200)).expect("it is a form");
    assert!(known.iter().any(|part| part.name == "workflow_id"));
}

#[tokio::test]
async fn expired_and_revoked_tokens_are_refused_as_such() {
    let (target, masks) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    for role in ["main", "reader", "writer", "other_company"] {
        let expired =
            session.useless_token(UselessToken::Expired, role).await.expect("it is minted");
        let refused = session.send(call_with("GET", "/v1/requests", &expired)).await;
        assert_eq!(check(&refused, 401)["type"], "token_expired", "{role}");
        let revoked = session
            .useless_token(UselessToken::Revoked, role)
            .await
            .expect("it is minted and revoked");
        let refused = session.send(call_with("GET", "/v1/requests", &revoked)).await;
        assert_eq!(check(&refused, 401)["type"], "token_revoked", "{role}");
        assert_ne!(masks.mask(&expired), expired);
        assert_ne!(masks.mask(&revoked), revoked);
    }
}

#[tokio::test]
async fn applications_play_their_roles() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    let applications = root(&session, "target");
    let scopes = |role: &str| applications[role]["scopes"].as_str().map(str::to_owned);
    assert_eq!(scopes("main").as_deref(), Some("read write"));
    assert_eq!(scopes("reader").as_deref(), Some("read"));
    assert_eq!(scopes("writer").as_deref(), Some("write"));
    let secret = &applications["main"]["client_secret"];
    let text = secret["$secret"].as_str().expect("it is a secret");
    assert_eq!(secret["all_but_last"].as_str(), text.get(..text.len() - 1));
    assert_ne!(secret["other_case"].as_str(), Some(text));
    let other =
        session.token("other_company", Scopes::READ, false).await.expect("there is a token");
    let ours = get(&session, "/v1/requests").await;
    let id = check(&ours, 200)["data"][0]["id"].as_str().expect("there is one").to_owned();
    let hidden = session.send(call_with("GET", &format!("/v1/requests/{id}"), &other)).await;
    check(&hidden, 404);
}

#[tokio::test]
async fn stages_do_not_see_each_other_and_run_the_same() {
    let (target, _) = in_process().await;
    let mut names = Vec::new();
    for _ in 0..2 {
        let session = session(&target, &Sandbox::default()).await;
        let before =
            check(&get(&session, "/v1/requests").await, 200)["pagination"]["total_count"].clone();
        assert_eq!(before, json!(73));
        let id = root(&session, "bindings")["generated_workflow_id"].clone();
        let created = create(&session, id.as_str().expect("it is bound")).await;
        names.push(check(&created, 201)["data"]["id"].clone());
        session.close().await;
    }
    assert_eq!(names[0], names[1], "the same scenario has the same seed");
}

#[tokio::test]
async fn a_moved_clock_ages_shared_tokens_unseen() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    check(&get(&session, "/v1/requests").await, 200);
    let move_on = json!({ "advance_seconds": 7_200 });
    session.admin("POST", "/clock", Some(move_on)).await.expect("the clock moves");
    check(&get(&session, "/v1/requests").await, 200);
    let refused = session.admin("POST", "/clock", Some(json!({ "set": "soon" }))).await;
    assert!(refused.is_err(), "its response must be 2xx");
}

#[tokio::test]
async fn a_burst_finds_its_window_empty() {
    let (target, _) = in_process().await;
    let sandbox = Sandbox {
        clock: Some("frozen".to_owned()),
        rate_limit: Some("enforce".to_owned()),
        ..Sandbox::default()
    };
    let session = session(&target, &sandbox).await;
    let token = session.token("main", Scopes::READ, false).await.expect("there is a token");
    let rhythm = Rhythm::InFlight(1);
    session.room_for_burst(601, rhythm).await;
    let mut served = 0;
    for _ in 0..601 {
        let call = call_with("GET", "/v1/workflows", &token);
        let sent = session.send_in_rhythm(call, Some(rhythm)).await;
        served += u32::from(response(&sent).status == 200);
    }
    assert_eq!(served, 600);
    let move_on = json!({ "advance_seconds": 60 });
    session.admin("POST", "/clock", Some(move_on)).await.expect("the clock moves");
    let same = session.token("main", Scopes::READ, false).await;
    assert_eq!(same.as_deref(), Ok(token.as_str()), "it has not aged by much");
}

#[tokio::test]
async fn endpoints_follow_the_answers_of_the_sandbox() {
    use moot_fixtures::contract::Operation;
    let (target, _) = in_process().await;
    for seed in 1..=4 {
        let answers = Some(format!("random:{seed}"));
        let session = session(&target, &Sandbox { answers, ..Sandbox::default() }).await;
        let world = session.admin("GET", "/world", None).await.expect("it answers");
        let endpoint = &world["answers"]["webhook_create_endpoint"];
        let found = session.endpoints().get(Operation::CreateWebhook);
        let (method, path) = (json!(found.method), json!(found.path));
        assert_eq!((&method, &path), (&endpoint["method"], &endpoint["path"]));
        assert!(
            root(&session, "bindings")["workflows"].as_array().is_some_and(|it| !it.is_empty())
        );
        session.close().await;
    }
}

#[tokio::test]
async fn a_delivery_reaches_the_receiver_with_its_credential() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    let receiver = session.receiver("hook").await.expect("it listens");
    let token = session.token("main", Scopes::WRITE, false).await.expect("there is a token");
    let body = json!({
        "name": "t1 hook", "url": receiver.url(), "auth_type": "bearer",
        "token": receiver.secret(), "events": ["execution_complete"],
    });
    let hook = json_call("/v1/webhooks", &body);
    let headers = call_with("POST", "/v1/webhooks", &token).headers;
    check(&session.send(ClientRequest { headers, ..hook }).await, 201);
    let id = root(&session, "bindings")["generated_workflow_id"].clone();
    let created = create(&session, id.as_str().expect("it is bound")).await;
    let id = check(&created, 201)["data"]["id"].as_str().expect("an id is a text").to_owned();
    let order = json!({ "status": "signed", "force": true });
    let path = format!("/legal_requests/{id}/status");
    session.admin("POST", &path, Some(order)).await.expect("it is forced");
    let move_on = json!({ "advance_seconds": 1 });
    session.admin("POST", "/clock", Some(move_on)).await.expect("the clock moves");
    let deliveries = receiver.take_deliveries();
    assert_eq!(deliveries.len(), 1);
    assert_eq!(deliveries[0]["method"], "POST");
    assert_eq!(deliveries[0]["json"]["event"], "execution_complete");
    let authorization = format!("Bearer {}", receiver.secret());
    assert_eq!(deliveries[0]["headers"]["authorization"], authorization);
    let other = session.receiver("other").await.expect("it listens");
    assert_ne!(other.url(), receiver.url());
    assert!(other.take_deliveries().is_empty());
}

#[tokio::test]
async fn a_lie_about_the_length_reaches_the_mock_too() {
    let (target, _) = in_process().await;
    let session = session(&target, &Sandbox::default()).await;
    let token = session.token("main", Scopes::WRITE, false).await.expect("there is a token");
    let body = ClientBody::Bytes {
        content_type: Some("multipart/form-data; boundary=moot".to_owned()),
        bytes: bytes::Bytes::from_static(b"--moot\r\n"),
        declared_length: Some(4_096),
    };
    let sent =
        session.send(ClientRequest { body, ..call_with("POST", "/v1/requests", &token) }).await;
    assert_eq!(check(&sent, 400)["type"], "parameter_missing");
}

#[tokio::test]
async fn over_http_it_is_the_same_mock() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let settings = moot_mock::settings::Settings {
        seed: 1,
        base_url: format!("http://{address}/api"),
        answers: moot_fixtures::answers::default().clone(),
        seed_world: Arc::new(moot_fixtures::world::named("demo").expect("embedded").clone()),
        clock: moot_mock::settings::ClockSetting::Real,
        rate_limit: moot_mock::settings::RateLimitMode::Enforce,
        progression: moot_mock::settings::Progression::Manual,
    };
    let options = moot_mock::shell::SiteOptions::new(settings);
    let site = moot_mock::shell::Site::new(options).expect("it starts");
    let limits = moot_mock::shell::ServeLimits::default();
    tokio::spawn(moot_mock::shell::serve(
        listener,
        site,
        limits,
        None,
        Box::pin(std::future::pending()),
    ));

    let masks = Arc::new(Masks::default());
    let options = TargetOptions { seed: 7, run_tag: "t1".to_owned(), ..TargetOptions::default() };
    // Another name of the same machine: the addresses of sandboxes have the given name.
    let url = format!("http://localhost:{}/api", address.port());
    let file = target_file::from_url(&url, &|_| None).expect("an address");
    let opened = Environment::open(TargetChoice::Http(Arc::new(file)), options, masks).await;
    let target = opened.expect("it answers");
    assert_eq!(target.description().class, TargetClass::MootMock);
    let session = session(&target, &Sandbox::default()).await;
    let id = root(&session, "bindings")["third_party_workflow_id"].clone();
    let created = create(&session, id.as_str().expect("it is bound")).await;
    check(&created, 201);
    assert!(response(&created).peer.is_some_and(|peer| peer.port() == address.port()));
    assert!(created.request.url.starts_with("http://localhost:"));
    let token = session.token("main", Scopes::WRITE, false).await.expect("there is a token");
    let zeros = moot_harness::client::FormPart {
        file_name: Some("big.pdf".to_owned()),
        content: moot_harness::client::BodyPiece::Zeros(3 * 1024 * 1024 + 1),
        ..moot_harness::client::FormPart::text("file", "")
    };
    let upload = ClientRequest {
        body: ClientBody::Multipart(vec![zeros]),
        ..call_with("POST", "/v1/repository_documents", &token)
    };
    check(&session.send(upload).await, 201);
    session.close().await;
}
