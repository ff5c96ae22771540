//! Typical uses of the API and of the control plane through a real socket. Other tests of the control plane call the
//! site without one, so they can't find faults of the server.

use moot_mock::shell::{ServeLimits, Site, SiteOptions};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::shell_support::{
    BASE, LEGAL_REQUEST, MAIN, Served, client, form, served, settings, site,
};

/// A mock behind a socket, and its client.
struct Wire {
    served: Served,
    client: Client,
    token: String,
}

impl Wire {
    async fn new() -> Self {
        Self::of(site()).await
    }

    async fn of(site: Site) -> Self {
        let served = served(&site, ServeLimits::default()).await;
        let client = client().build().expect("a client");
        let mut wire = Self { served, client, token: String::new() };
        let minted = wire.done("POST /tokens", json!({ "client_id": MAIN })).await;
        wire.token = minted["access_token"].as_str().expect("a token").to_owned();
        wire
    }

    /// A request from a line such as `GET /api/v1/requests`.
    fn request(&self, line: &str) -> RequestBuilder {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        let method = method.parse().expect("a method");
        self.client.request(method, format!("http://{}{path}", self.served.address))
    }

    /// Performs an action of the control plane, and returns status and body.
    async fn admin(&self, line: &str, body: Value) -> (u16, Value) {
        let line = line.replacen(' ', &format!(" {BASE}/__admin"), 1);
        let request = self.request(&line);
        outcome_of(if body.is_null() { request } else { request.body(body.to_string()) }).await
    }

    async fn done(&self, line: &str, body: Value) -> Value {
        let (status, response) = self.admin(line, body).await;
        assert!((200..300).contains(&status), "{line}: {status} {response}");
        response
    }

    async fn refused(&self, line: &str, body: Value, expected: u16, says: &str) {
        let (status, response) = self.admin(line, body).await;
        assert_eq!(status, expected, "{line}: {response}");
        assert!(
            response["detail"].as_str().is_some_and(|it| it.contains(says)),
            "{line}: {response}"
        );
    }

    /// Makes a call of the API with a form, and returns status and body.
    async fn call(&self, line: &str, parts: &[&str]) -> (u16, Value) {
        let line = line.replacen(' ', &format!(" {BASE}"), 1);
        let request = self.request(&line).bearer_auth(&self.token);
        if parts.is_empty() {
            return outcome_of(request).await;
        }
        let (kind, body) = form(parts);
        outcome_of(request.header("content-type", kind).body(body)).await
    }

    async fn webhook(&self, body: Value) -> (u16, Value) {
        let request = self.request(&format!("POST {BASE}/v1/webhooks")).bearer_auth(&self.token);
        let request = request.header("content-type", "application/json");
        outcome_of(request.body(body.to_string())).await
    }
}

async fn outcome_of(request: RequestBuilder) -> (u16, Value) {
    let response: Response = request.send().await.expect("a response");
    let status = response.status().as_u16();
    let bytes = response.bytes().await.expect("a body");
    (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

#[tokio::test]
async fn unsafe_webhook_addresses_are_refused_and_a_basic_password_is_utf_8() {
    let wire = Wire::new().await;
    for url in [
        "http://127.0.0.1:9/a\nb",
        "http://127.0.0.1:9/\u{7f}",
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/latest",
        "http://metadata.google.internal/",
    ] {
        let (status, response) = wire.webhook(json!({ "name": "hook", "url": url })).await;
        assert_eq!((status, &response["type"]), (422, &json!("webhook_creation_error")), "{url}");
    }
    let url = format!("http://{}{BASE}/__admin/receiver", wire.served.address);
    let hook = json!({ "name": "hook", "url": url, "username": "Zoë", "password": "pässwörd" });
    assert_eq!(wire.webhook(hook).await.0, 201);
    let (_, created) = wire.call("POST /v1/requests", LEGAL_REQUEST).await;
    let id = created["data"]["id"].as_str().expect("an id");
    let signed = json!({ "status": "signed", "force": true });
    wire.done(&format!("POST /legal_requests/{id}/status"), signed).await;
    wire.done("POST /deliveries/settle", Value::Null).await;
    let view = wire.done("GET /receiver", Value::Null).await;
    // Base64 of the UTF-8 bytes of `Zoë:pässwörd` (RFC 7617).
    let authorization = &view["received"][0]["headers"]["authorization"];
    assert_eq!(authorization, &json!("Basic Wm/Dqzpww6Rzc3fDtnJk"), "{view}");
}

#[tokio::test]
async fn limits_of_values_are_said_and_unknown_names_are_404() {
    let wire = Wire::new().await;
    let beyond = json!({ "set": "9999-12-31T00:00:00Z" });
    wire.refused("POST /clock", beyond, 422, "9999-12-30T22:00:00Z at most").await;
    let document = wire.done("GET /openapi.json", Value::Null).await;
    let fault = "/paths/~1faults/post/requestBody/content/application~1json/schema/properties";
    for name in ["nth", "times"] {
        let minimum = document.pointer(&format!("{fault}/{name}/minimum"));
        assert_eq!(minimum, Some(&json!(1)), "{name}");
        let zero = json!({ "kind": "truncate", name: 0 });
        let (status, response) = wire.admin("POST /faults", zero).await;
        assert!((400..500).contains(&status), "{name}: {response}");
    }
    for line in ["GET /exchanges?application=nobody", "GET /exchanges/count?application=nobody"] {
        wire.refused(line, Value::Null, 404, "`nobody`").await;
    }
    for url in ["https://files.example:0/a.pdf", "https://files.example:00/a.pdf"] {
        let (status, response) =
            wire.call("POST /v1/repository_documents", &[&format!("url={url}")]).await;
        assert_eq!(status, 422, "{url}: {response}");
        assert!(response["detail"].as_str().is_some_and(|it| it.contains("public https")));
    }
}

#[tokio::test]
async fn addresses_are_listed_deleted_and_answer_with_a_status() {
    let wire = Wire::new().await;
    let upload = async |url: &str| {
        wire.call("POST /v1/repository_documents", &[&format!("url={url}")]).await
    };
    let (sound, broken) = ("https://files.example/a.txt", "https://files.example/b.txt");
    let slow = json!({ "url": sound, "text": "Hello", "milliseconds": 50 });
    wire.done("PUT /addresses", slow).await;
    wire.done("PUT /addresses", json!({ "url": broken, "status": 404 })).await;
    let all = wire.done("GET /addresses", Value::Null).await;
    assert_eq!(all["addresses"].as_array().map(Vec::len), Some(2), "{all}");
    let started = std::time::Instant::now();
    assert_eq!(upload(sound).await.0, 201);
    assert!(started.elapsed().as_millis() >= 45, "{:?}", started.elapsed());
    assert_eq!(upload(broken).await.0, 422);
    wire.done(&format!("DELETE /addresses?url={broken}"), Value::Null).await;
    assert_eq!(upload(broken).await.0, 201, "a placeholder again");
    let left = wire.done("GET /addresses", Value::Null).await;
    assert_eq!(left["addresses"][0]["url"], json!(sound));
}

#[tokio::test]
async fn users_applications_and_workflows_change_while_a_world_runs() {
    let wire = Wire::new().await;
    let create = async || wire.call("POST /v1/requests", LEGAL_REQUEST).await.0;
    assert_eq!(create().await, 201);
    wire.done("DELETE /users/requester@northwind.example", Value::Null).await;
    assert_eq!(create().await, 422);
    wire.done("POST /users", json!({ "email": "requester@northwind.example" })).await;
    assert_eq!(create().await, 201);
    let workflow = "PUT /workflows/wfMutualNda1";
    wire.done(workflow, json!({ "status": "unpublished" })).await;
    assert_eq!(create().await, 404);
    wire.done(workflow, json!({ "status": "published" })).await;
    let colour = json!({ "colour": { "type": "string", "required": true } });
    wire.done(workflow, json!({ "variables": colour })).await;
    assert_eq!(create().await, 422, "`colour` is missing");
    let ask = async |secret: &str| {
        let grant = "grant_type=client_credentials&scope=read&client_id";
        let body = format!("{grant}={MAIN}&client_secret={secret}");
        let request = wire.request(&format!("POST {BASE}/oauth/token"));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        outcome_of(request.body(body)).await.0
    };
    wire.done(&format!("PUT /applications/{MAIN}"), json!({ "client_secret": "second" })).await;
    assert_eq!((ask("second").await, ask("first").await), (200, 401));
    wire.done(&format!("DELETE /applications/{MAIN}"), Value::Null).await;
    assert_eq!((ask("second").await, create().await), (401, 401));
}

#[tokio::test]
async fn one_document_one_request_and_one_sandbox_are_shown_and_changed() {
    let wire = Wire::new().await;
    let (_, made) = wire.call("POST /v1/repository_documents", &["file@a.txt=Hello"]).await;
    let id = made["data"]["id"].as_str().expect("an id");
    let shown = wire.done(&format!("GET /repository_documents/{id}"), Value::Null).await;
    assert_eq!((&shown["name"], &shown["length"]), (&json!("a.txt"), &json!(5)));
    let (_, created) = wire.call("POST /v1/requests", LEGAL_REQUEST).await;
    let id = created["data"]["id"].as_str().expect("an id");
    let line = format!("PUT /legal_requests/{id}/progression");
    wire.done(&line, json!({ "progression": "timed:30" })).await;
    let moved = wire.done("POST /clock", json!({ "advance_seconds": 30 })).await;
    assert_eq!(moved["fired"][0]["id"], json!(id), "{moved}");
    let asked = json!({ "progression": "timed:5", "rate_limit": "observe", "clock": "frozen",
        "seed": 7, "lease_seconds": 600 });
    let made = wire.done("POST /sandboxes", asked.clone()).await;
    let path = format!("/sandboxes/{}", made["id"].as_str().expect("an id"));
    let shown = wire.done(&format!("GET {path}"), Value::Null).await;
    for member in ["progression", "rate_limit"] {
        assert_eq!(shown["settings"][member], asked[member], "{member}: {shown}");
    }
    assert_eq!((&shown["seed"], &shown["clock"]["frozen"]), (&json!(7), &json!(true)), "{shown}");
    assert!(shown["lease_ends_in_seconds"].as_u64().is_some_and(|left| left <= 600), "{shown}");
    let renewed = wire.done(&format!("POST {path}/renew"), json!({ "lease_seconds": 3_600 })).await;
    assert!(renewed["lease_ends_in_seconds"].as_u64().is_some_and(|left| left > 600), "{renewed}");
}

#[tokio::test]
async fn a_deleted_sandbox_is_404_with_the_reason_and_not_on_the_main_limiter() {
    let wire = Wire::new().await;
    wire.done("PUT /rate_limit", json!({ "mode": "enforce", "reset": true })).await;
    let made = wire.done("POST /sandboxes", json!({})).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    wire.done(&format!("DELETE /sandboxes/{id}"), Value::Null).await;
    for _ in 0..3 {
        let (status, response) = wire.call(&format!("GET /sandboxes/{id}/v1/requests"), &[]).await;
        assert_eq!(status, 404, "{response}");
    }
    let line = format!("GET {BASE}/sandboxes/{id}/__admin/health");
    let (status, response) = outcome_of(wire.request(&line)).await;
    assert_eq!(status, 404);
    assert!(response["detail"].as_str().is_some_and(|it| it.contains("deleted")), "{response}");
    let limit = wire.done("GET /rate_limit", Value::Null).await;
    assert_eq!(limit["clients"], json!([]), "{limit}");
}

/// With `wait_seconds` 0 the response lists the deliveries in flight. `settle` waits for them.
#[tokio::test]
async fn a_move_of_the_clock_that_gave_up_waiting_is_202_and_settle_is_200() {
    let wire = Wire::new().await;
    let slow = MockServer::start().await;
    let response = ResponseTemplate::new(200).set_delay(std::time::Duration::from_secs(1));
    Mock::given(method("POST")).respond_with(response).mount(&slow).await;
    assert_eq!(wire.webhook(json!({ "name": "hook", "url": slow.uri() })).await.0, 201);
    let (_, created) = wire.call("POST /v1/requests", LEGAL_REQUEST).await;
    let id = created["data"]["id"].as_str().expect("an id");
    let signed = json!({ "status": "signed", "force": true });
    wire.done(&format!("POST /legal_requests/{id}/status"), signed).await;
    let impatient = json!({ "advance_seconds": 1, "wait_seconds": 0 });
    let (status, moved) = wire.admin("POST /clock", impatient).await;
    // The seed's webhooks have deliveries too.
    let in_flight = moved["in_flight"].as_u64().expect("a count");
    assert!(status == 202 && in_flight >= 1, "{status} {moved}");
    assert_eq!(moved["in_flight_deliveries"].as_array().map(Vec::len), Some(in_flight as usize));
    let (status, settled) = wire.admin("POST /deliveries/settle", Value::Null).await;
    assert_eq!((status, &settled["in_flight"]), (200, &json!(0)), "{settled}");
}

#[tokio::test]
async fn checkpoints_are_made_listed_restored_and_deleted() {
    let wire = Wire::new().await;
    let create = async || wire.call("POST /v1/requests", LEGAL_REQUEST).await.0;
    let count = async || wire.call("GET /v1/requests", &[]).await.1["pagination"].clone();
    assert_eq!(create().await, 201);
    let staged = count().await;
    wire.done("POST /checkpoints", json!({ "name": "stage" })).await;
    assert_eq!(create().await, 201);
    assert_ne!(count().await, staged);
    let all = wire.done("GET /checkpoints", Value::Null).await;
    assert_eq!(all["checkpoints"][0]["name"], json!("stage"), "{all}");
    wire.done("POST /checkpoints/stage/restore", Value::Null).await;
    assert_eq!(count().await, staged);
    wire.done("DELETE /checkpoints/stage", Value::Null).await;
    let none = wire.done("GET /checkpoints", Value::Null).await;
    assert_eq!(none["checkpoints"], json!([]));
}

#[tokio::test]
async fn calls_are_filtered_counted_and_found_by_their_delivery() {
    let wire = Wire::new().await;
    wire.done("PUT /settings", json!({ "progression": "immediate" })).await;
    assert_eq!(wire.call("POST /v1/requests", LEGAL_REQUEST).await.0, 201);
    assert_eq!(wire.call("GET /v1/requests", &[]).await.0, 200);
    assert_eq!(wire.call("GET /v1/requests/none", &[]).await.0, 404);
    let found = wire.done("POST /deliveries/wait", json!({ "timeout_seconds": 30 })).await;
    let delivery = format!("delivery={}", found["deliveries"][0]["id"]);
    let application = format!("application={MAIN}");
    for (filter, count) in [
        ("method=POST", 1),
        ("path=/v1/requests*", 3),
        ("path=/v1/requests/*", 1),
        ("status=4xx", 1),
        (application.as_str(), 3),
        (delivery.as_str(), 1),
        ("method=GET&status=201", 0),
    ] {
        let counted = wire.done(&format!("GET /exchanges/count?{filter}"), Value::Null).await;
        assert_eq!(counted, json!({ "count": count }), "{filter}");
        let listed = wire.done(&format!("GET /exchanges?{filter}"), Value::Null).await;
        assert_eq!(listed["exchanges"].as_array().map(Vec::len), Some(count), "{filter}");
    }
    let wanted = json!({ "path": "/v1/requests", "method": "GET", "status": "500",
        "timeout_seconds": 0 });
    let (status, response) = wire.admin("POST /exchanges/wait", wanted).await;
    assert_eq!((status, &response["count"]), (408, &json!(0)), "{response}");
    let nearest = &response["nearest_miss"];
    assert_eq!(nearest["differs_in"], json!(["status"]), "{response}");
    assert_eq!(nearest["exchange"]["status"], json!(200), "{response}");
}

/// The only thread that removes files is busy, so the files still exist while others read.
#[test]
fn reads_are_answered_while_the_files_of_uploads_wait_to_be_removed() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().max_blocking_threads(1).build().expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let site = Site::with_state(SiteOptions::new(settings()), folder.path());
        let wire = Wire::of(site.unwrap_or_else(|error| panic!("{error}"))).await;
        let files = || uploads_in(&folder.path().join("uploads"));
        let list = "GET /v1/repository_documents";
        let before = wire.call(list, &[]).await.1;
        for letter in ["a", "b", "c"] {
            let large = format!("file@large.txt={}", letter.repeat(100_000));
            assert_eq!(wire.call("POST /v1/repository_documents", &[&large]).await.0, 201);
        }
        assert_eq!(files(), 3, "large uploads are files");
        let (go_on, signal) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || signal.recv());
        wire.done("POST /reset", Value::Null).await;
        let token = wire.done("POST /tokens", json!({ "client_id": MAIN })).await;
        let token = token["access_token"].as_str().expect("a token").to_owned();
        let wire = Wire { token, ..wire };
        assert_eq!(wire.call(list, &[]).await, (200, before));
        assert_eq!(files(), 3, "the reset did not wait for the removal");
        go_on.send(()).expect("the thread waits");
        busy.await.expect("no panic").expect("a signal");
        // This task is queued behind the removal.
        tokio::task::spawn_blocking(|| ()).await.expect("no panic");
        assert_eq!(files(), 0);
    });
}

/// The uploads below a folder. Those of each process have their own folder, with a lock.
fn uploads_in(folder: &std::path::Path) -> usize {
    let entries =
        |folder: &std::path::Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries(folder).flat_map(|process| entries(&process.path()));
    files.filter(|file| file.file_name() != "lock").count()
}
