//! The mock in a `wiremock::MockServer`, as in a Rust test.

use moot_mock::embed;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::shell_support::{LEGAL_REQUEST, MAIN, form, settings};

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    crate::shell_support::client().build().expect("a client")
}

async fn create(server: &MockServer, token: &str) -> (u16, Value) {
    let (content_type, body) = form(LEGAL_REQUEST);
    let call = client().post(format!("{}/v1/requests", base(server)));
    let call = call.bearer_auth(token).header("content-type", content_type).body(body);
    let response = call.send().await.expect("a response");
    (response.status().as_u16(), response.json().await.unwrap_or_default())
}

fn base(server: &MockServer) -> String {
    format!("{}/api", server.uri())
}

async fn token(server: &MockServer) -> String {
    let call = client().post(format!("{}/__admin/tokens", base(server)));
    let response = call.json(&json!({ "client_id": MAIN })).send().await.expect("a response");
    let token: Value = response.json().await.expect("JSON");
    token["access_token"].as_str().expect("a token").to_owned()
}

/// Its file is read in more pieces than tokio gives to one task at a time.
#[tokio::test]
async fn a_document_of_many_megabytes_is_returned_whole() {
    const LENGTH: usize = 20_000_000;
    let server = embed::start_with(settings()).await.expect("a free port");
    let token = token(&server).await;
    let mut body =
        b"--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.pdf\"\r\n\
                     Content-Type: application/pdf\r\n\r\n"
            .to_vec();
    body.resize(body.len() + LENGTH, b'1');
    body.extend_from_slice(b"\r\n--b0--\r\n");
    let documents = format!("{}/v1/repository_documents", base(&server));
    let call = client().post(&documents).bearer_auth(&token);
    let call = call.header("content-type", "multipart/form-data; boundary=b0").body(body);
    let made: Value = call.send().await.expect("a response").json().await.expect("JSON");
    let id = made["data"]["id"].as_str().expect("an id");
    let call = client().get(format!("{documents}/{id}")).bearer_auth(&token);
    let shown: Value = call.send().await.expect("a response").json().await.expect("JSON");
    let address = shown["data"]["attributes"]["agreement_url"].as_str().expect("an address");
    let file = client().get(address).bearer_auth(&token).send().await.expect("a response");
    let bytes = file.bytes().await.expect("a body");
    assert!(bytes.len() == LENGTH && bytes.iter().all(|byte| *byte == b'1'));
}

#[tokio::test]
async fn a_world_alone_is_enough_to_start() {
    let world = moot_mock::shell::settings::world("empty").expect("it is embedded");
    let server = embed::start(world).await.expect("a free port");
    let response = client().get(format!("{}/v1/requests", server.uri())).send().await;
    assert_eq!(response.expect("a response").status(), 401);
}

#[tokio::test]
async fn it_answers_under_its_own_address_and_below_a_tests_overrides() {
    let server = embed::start_with(settings()).await.expect("a free port");
    let health: Value = client()
        .get(format!("{}/__admin/health", base(&server)))
        .send()
        .await
        .expect("a response")
        .json()
        .await
        .expect("JSON");
    assert_eq!(health["base_url"], json!(base(&server)));
    let token = &token(&server).await;

    Mock::given(method("POST"))
        .and(path("/api/v1/requests"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    assert_eq!(create(&server, token).await.0, 503);
    let (status, body) = create(&server, token).await;
    assert_eq!((status, &body["data"]["attributes"]["status"]), (201, &json!("draft")));
}

#[tokio::test]
async fn calls_that_wait_are_answered_and_the_mock_goes_on() {
    let server = embed::start_with(settings()).await.expect("a free port");
    let token = token(&server).await;
    let delay = json!({ "kind": "delay", "operation": "list_workflows", "milliseconds": 20 });
    let post = |path: &str| client().post(format!("{}/__admin/{path}", base(&server)));
    assert_eq!(post("faults").json(&delay).send().await.expect("a response").status(), 201);
    let get = |path: &str| client().get(format!("{}/{path}", base(&server))).bearer_auth(&token);
    assert_eq!(get("v1/workflows").send().await.expect("a response").status(), 200);

    // No other call comes while this one waits.
    let wait = json!({ "operation": "list_webhooks", "timeout_seconds": 1 });
    assert_eq!(post("exchanges/wait").json(&wait).send().await.expect("a response").status(), 408);

    let events = get("__admin/events").send().await.expect("a response");
    assert!(events.text().await.expect("an end of the stream").starts_with("event: hello"));
    assert_eq!(get("v1/workflows").send().await.expect("a response").status(), 200);
}
